import { Draft } from '../draft';

class Storage implements Draft.IStorage {
  getItem = (key: string) => this.items.get(key) ?? null;
  removeItem = (key: string) => void this.items.delete(key);
  setItem = (key: string, value: string) => {
    if (value.length > 100) {
      throw new Error('QuotaExceededError');
    }
    this.items.set(key, value);
  };
  items = new Map<string, string>();
}

function open(storage: Storage, name = 'chat'): Draft {
  const draft = new Draft({ storage });
  draft.open(name);
  return draft;
}

describe('Draft', () => {
  it('is restored with its reserved cell id', () => {
    const storage = new Storage();
    const draft = open(storage);
    draft.text = 'half a thou';
    draft.flush();
    const again = open(storage);
    expect(again.text).toBe('half a thou');
    expect(again.pair).toBe(draft.pair);
    expect(open(storage, 'other').text).toBe('');
  });

  it('reserves another id for the next message and leaves nothing behind', () => {
    const storage = new Storage();
    const draft = open(storage);
    draft.text = 'x';
    const { pair } = draft;
    draft.clear();
    expect(draft.pair).not.toBe(pair);
    expect(storage.items.size).toBe(0);
  });

  it('restores a refused message before what was written since', () => {
    const draft = open(new Storage());
    draft.text = 'next';
    draft.restore('p', 'refused');
    expect(draft.text).toBe('refused\n\nnext');
    expect(draft.pair).toBe('p');
  });

  it('keeps what was typed before the chat was known', () => {
    const storage = new Storage();
    const stored = open(storage);
    stored.text = 'stored';
    stored.flush();
    const draft = new Draft({ storage });
    draft.text = 'typed';
    draft.open('chat');
    expect(draft.text).toBe('stored\n\ntyped');
  });

  it('moves with the chat to another name', () => {
    const storage = new Storage();
    const draft = open(storage, 'some/path');
    draft.text = 'x';
    draft.open('id');
    expect(open(storage, 'some/path').text).toBe('');
    expect(open(storage, 'id').text).toBe('x');
  });

  it('is stored soon after the last key', () => {
    jest.useFakeTimers();
    const storage = new Storage();
    const draft = open(storage);
    draft.text = 'typed';
    expect(storage.items.size).toBe(0);
    jest.advanceTimersByTime(300);
    expect(open(storage).text).toBe('typed');
    jest.useRealTimers();
  });

  it('keeps the last letters when the chat is closed', () => {
    const storage = new Storage();
    const draft = open(storage);
    draft.text = 'the last let';
    draft.flush();
    draft.text = 'the last letters';
    draft.dispose();
    expect(open(storage).text).toBe('the last letters');
    expect(draft.isDisposed).toBe(true);
    // Closing twice changes nothing that was written elsewhere meanwhile.
    storage.items.clear();
    draft.dispose();
    expect(storage.items.size).toBe(0);
  });

  it('is cleared when another tab sends it, unless something was written here', () => {
    const storage = new Storage();
    const first = open(storage);
    first.text = 'shared';
    first.flush();
    const second = open(storage);
    const key = 'turnbook:draft:chat';
    second.onStorage(key, null);
    expect(second.text).toBe('');
    expect(second.pair).not.toBe(first.pair);
    second.text = 'mine';
    second.onStorage(key, null);
    expect(second.text).toBe('mine');
  });

  it('reports when it cannot be stored, and ignores what it cannot read', () => {
    const storage = new Storage();
    const draft = open(storage);
    draft.text = 'y'.repeat(200);
    draft.flush();
    expect(draft.problem).toMatch(/too long/);
    expect(draft.text).toHaveLength(200);
    draft.text = 'short';
    draft.flush();
    expect(draft.problem).toBeNull();
    storage.items.set('turnbook:draft:bad', '{');
    expect(open(storage, 'bad').text).toBe('');
  });
});
