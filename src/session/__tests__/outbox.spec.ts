import { NewReplies } from '../newreplies';
import { Outbox } from '../outbox';

function storage(items: Record<string, string> = {}) {
  const map = new Map(Object.entries(items));
  return {
    map,
    get length() {
      return map.size;
    },
    key: (n: number) => [...map.keys()][n] ?? null,
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

function box(store: ReturnType<typeof storage>, name = 'chat'): Outbox {
  const made = new Outbox(store);
  made.open(name);
  return made;
}

describe('Outbox', () => {
  beforeEach(() => {
    jest.useFakeTimers({ now: 5 });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('stores a message for the next page until it is taken out', () => {
    const store = storage();
    const first = box(store);
    first.put(message);
    const next = box(store);
    expect(next.all).toEqual([message]);
    expect(box(store, 'chat 2').all).toEqual([]);
    expect(box(store, 'cha').all).toEqual([]);
    expect(first.wasTaken).toBe(false);
    expect(next.take('another')).toBe(false);
    expect(next.take('r')).toBe(true);
    expect(next.take('r')).toBe(false);
    expect(first.all).toEqual([]);
    expect(first.wasTaken).toBe(true);
    first.dispose();
  });

  it('stores the messages of several tabs, oldest first', () => {
    const store = storage();
    const [one, two] = [box(store), box(store)];
    two.put({ ...message, runId: 'r2', at: 6 });
    one.put(message);
    expect(one.all.map(({ runId }) => runId)).toEqual(['r', 'r2']);
    one.take('r');
    expect(two.all.map(({ runId }) => runId)).toEqual(['r2']);
    one.dispose();
    two.dispose();
  });

  it('waits for a page that is still sending, and not long for any other', () => {
    const store = storage();
    const sender = box(store);
    const other = box(store);
    sender.put(message);
    jest.advanceTimersByTime(10 * 60_000);
    expect(other.patience(other.all[0])).toBeGreaterThan(60_000);
    sender.dispose();
    jest.advanceTimersByTime(60_000);
    expect(other.patience(other.all[0])).toBeGreaterThan(0);
    jest.advanceTimersByTime(120_000);
    expect(other.patience(other.all[0])).toBeLessThanOrEqual(0);
  });

  it('does not restore what was taken out meanwhile', () => {
    const store = storage();
    const sender = box(store);
    sender.put(message);
    box(store).take('r');
    jest.advanceTimersByTime(60_000);
    expect(sender.all).toEqual([]);
    sender.dispose();
  });

  it('finds what was stored under the path before the chat had an id', () => {
    const store = storage();
    const sender = box(store, 'a.chat.ipynb');
    sender.put(message);
    sender.open('id');
    expect(sender.take('r')).toBe(true);
    sender.dispose();
  });

  it('tolerates a full storage', () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    const store = storage();
    store.setItem = () => {
      throw new Error('QuotaExceededError');
    };
    const sender = box(store);
    sender.put(message);
    expect(sender.wasTaken).toBe(false);
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  });

  it('reads what an earlier version stored, and ignores what it cannot read', () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    const key = 'turnbook:outbox:chat';
    const old = box(storage({ [key]: JSON.stringify(message) }));
    expect(old.all).toEqual([message]);
    expect(old.take('r')).toBe(true);
    for (const stored of ['{', '[]', '{"pair": 1}']) {
      expect(box(storage({ [key]: stored })).all).toEqual([]);
    }
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  });
});

describe('NewReplies', () => {
  it('remembers what was not viewed, by chat', () => {
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
