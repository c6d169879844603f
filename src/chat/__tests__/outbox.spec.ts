import { NewReplies } from '../newreplies';
import { Outbox, OwnRuns } from '../outbox';

function storage(items: Record<string, string> = {}) {
  const map = new Map(Object.entries(items));
  return {
    map,
    getItem: (key: string) => map.get(key) ?? null,
    removeItem: (key: string) => void map.delete(key),
    setItem: (key: string, value: string) => void map.set(key, value)
  };
}

const message = {
  pair: 'p',
  text: 'Hello',
  runId: 'r',
  at: 5,
  resend: false
};

describe('Outbox', () => {
  it('holds a message for the next page until it is cleared', () => {
    const store = storage();
    const first = new Outbox(store);
    first.open('chat');
    first.put(message);
    const next = new Outbox(store);
    next.open('chat');
    expect(next.held).toEqual(message);
    const other = new Outbox(store);
    other.open('another chat');
    expect(other.held).toBeNull();
    next.clear();
    expect(first.held).toBeNull();
  });

  it('passes over what it cannot read', () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    for (const stored of ['{', '[]', '{"pair": 1}']) {
      const box = new Outbox(storage({ 'turnbook:outbox:chat': stored }));
      box.open('chat');
      expect(box.held).toBeNull();
    }
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  });
});

describe('OwnRuns', () => {
  it('survives a reload of the tab, and forgets the oldest', () => {
    const store = storage();
    const runs = new OwnRuns(store);
    for (let n = 0; n < 101; n++) {
      runs.add(`r${n}`);
    }
    const again = new OwnRuns(store);
    expect(again.has('r100')).toBe(true);
    expect(again.has('r0')).toBe(false);
    expect(new OwnRuns(storage()).has('r100')).toBe(false);
  });
});

describe('NewReplies', () => {
  it('remembers what was not looked at, by chat', () => {
    const store = storage();
    const news = new NewReplies(store);
    news.open('chat');
    expect(news.add('a')).toBe(true);
    expect(news.add('a')).toBe(false);
    news.add('b');
    const again = new NewReplies(store);
    again.open('chat');
    expect(again.ids).toEqual(['a', 'b']);
    expect(again.delete('a')).toBe(true);
    expect(again.delete('a')).toBe(false);
    again.delete('b');
    expect(store.map.size).toBe(0);
  });
});
