import fc from 'fast-check';

import { roundOutput } from '../rounds';
import {
  pushVersion,
  readVersions,
  stepVersion,
  swapVersion,
  versionRuns,
  type IVersion
} from '../versionlist';

const version = (source: string, runId?: string): IVersion => ({
  source,
  reply: `to ${source}`,
  model: 'p/m',
  requestHash: 'h',
  at: 1,
  ...(runId ? { runId } : {})
});

describe('readVersions', () => {
  it('never throws, and is idempotent', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const read = readVersions(value);
        expect(readVersions(read)).toEqual(read);
      })
    );
  });

  it('reads what is valid', () => {
    expect(
      readVersions([
        null,
        'x',
        { source: 'a' },
        {
          source: 'a',
          reply: 'b',
          at: 'noon',
          partial: 1,
          tools: [1],
          run: []
        },
        { ...version('c', 'r'), partial: true, run: { state: 'canceled' } }
      ])
    ).toEqual([
      { source: 'a', reply: 'b', model: '', requestHash: '', at: 0 },
      { ...version('c', 'r'), partial: true, run: { state: 'canceled' } }
    ]);
    expect(readVersions({ 0: version('a') })).toEqual([]);
  });
});

describe('pushVersion', () => {
  it('appends once, and keeps what it cannot read', () => {
    const list = pushVersion(['?', version('a', '1')], version('b', '2'));
    expect(list).toEqual(['?', version('a', '1'), version('b', '2')]);
    expect(pushVersion(list, version('a', '1'))).toEqual(list);
    expect(versionRuns(readVersions(list))).toEqual(new Set(['1', '2']));
  });

  it('knows the runs of its tool rounds too', () => {
    const round = roundOutput(
      { message: null, results: [{ role: 'tool', content: 'x' }] },
      { runId: '7', partial: false }
    );
    const list = [{ ...version('a', '1'), tools: [round] }, version('b')];
    expect(versionRuns(list)).toEqual(new Set(['1', '7']));
  });

  it('keeps the same text of another run', () => {
    expect(pushVersion([version('a', '1')], version('a', '2'))).toHaveLength(2);
  });
});

describe('stepVersion', () => {
  it('steps through all versions and the current one, and stops at both ends', () => {
    expect([0, 1, 2].map(index => stepVersion(2, index, 1))).toEqual([
      1,
      2,
      null
    ]);
    expect([0, 1, 2].map(index => stepVersion(2, index, -1))).toEqual([
      null,
      0,
      1
    ]);
    expect(stepVersion(0, 0, -1)).toBeNull();
    expect(stepVersion(0, 0, 1)).toBeNull();
  });
});

describe('swapVersion', () => {
  it('puts the current one where the chosen one was', () => {
    const list = ['?', version('a'), version('b')];
    expect(swapVersion(list, 1, version('now'))).toEqual({
      chosen: version('b'),
      list: ['?', version('a'), version('now')]
    });
    expect(swapVersion(list, 0, null)).toEqual({
      chosen: version('a'),
      list: ['?', version('b')]
    });
  });

  it('returns null if there is no such version', () => {
    for (const index of [-1, 1, 0.5, NaN]) {
      expect(swapVersion(['?', version('a')], index, null)).toBeNull();
    }
  });

  it('done twice changes nothing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string(), { minLength: 1 }),
        fc.nat(),
        (names, n) => {
          const list = names.map(name => version(name));
          const index = n % list.length;
          const once = swapVersion(list, index, version('now'))!;
          const twice = swapVersion(once.list, index, once.chosen)!;
          expect(twice).toEqual({ list, chosen: version('now') });
        }
      )
    );
  });
});
