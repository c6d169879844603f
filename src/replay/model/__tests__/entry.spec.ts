import { built, edited, section } from '../../__tests__/requests';
import { buildKey, buildOf, isBuilt, ReplayEntry, replayKey } from '../entry';
import type { IBuilt, IReplayOrigin } from '../source';

const ORIGIN: IReplayOrigin = {
  chatId: 'c',
  pair: 'p',
  path: 'a.chat.ipynb',
  name: 'a',
  turn: 1
} as IReplayOrigin;

function builtWith(content: string): IBuilt {
  const replay = built(edited([section({ role: 'user', content })]));
  return { replay, before: null } as unknown as IBuilt;
}

describe('the key of a replay', () => {
  it('is another one for each chat and pair, whatever they are called', () => {
    const keys = [
      ['a', 'b'],
      ['a/b', ''],
      ['a', '/b'],
      ['a%2Fb', ''],
      ['', 'a/b']
    ].map(([chatId, pair]) => replayKey({ chatId, pair }));
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('ReplayEntry', () => {
  const one = builtWith('one');
  const two = builtWith('two');
  const three = builtWith('three');
  const [first, second, third] = [one, two, three].map(({ replay }) => ({
    ...buildOf(replay)
  }));

  function entryWith(): ReplayEntry {
    const entry = new ReplayEntry(replayKey(ORIGIN), ORIGIN);
    for (const it of [one, two, three]) {
      entry.builts.set(buildKey(buildOf(it.replay)), it);
    }
    return entry;
  }

  it('has nothing at first', () => {
    const entry = new ReplayEntry('key', ORIGIN);
    expect(entry.current).toBeNull();
    expect(entry.previousBuilt).toBeNull();
    expect(entry.canRestore).toBe(false);
  });

  it('has the builds that its state names', () => {
    const entry = entryWith();
    entry.machine = { ...entry.machine, current: second, previous: first };
    expect(entry.current).toBe(two);
    expect(entry.previousBuilt).toBe(one);
  });

  it('has nothing in the place of a build that is gone', () => {
    const entry = entryWith();
    entry.machine = { ...entry.machine, current: { version: 9, hash: 'x' } };
    expect(entry.current).toBeNull();
  });

  it('keeps the builds that can still be shown, and no others', () => {
    const entry = entryWith();
    entry.machine = { ...entry.machine, current: second, awaited: third };
    entry.prune();
    expect([...entry.builts.values()]).toEqual([two, three]);
    entry.machine = { ...entry.machine, awaited: null, previous: third };
    entry.prune();
    expect([...entry.builts.values()]).toEqual([two, three]);
    entry.machine = { ...entry.machine, current: null, previous: null };
    entry.prune();
    expect(entry.builts.size).toBe(0);
  });
});

describe('isBuilt', () => {
  it('takes what was kept, and nothing of another shape', () => {
    expect(isBuilt(builtWith('one'))).toBe(true);
    for (const other of [
      null,
      'x',
      {},
      { replay: null },
      { replay: { record: null } },
      { replay: { record: { payload: 1 } } }
    ]) {
      expect(isBuilt(other)).toBe(false);
    }
  });
});
