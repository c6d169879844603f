import { isCutOff } from '../cutoff';
import type { IRunInfo, PairState } from '../metadata';

const run = (state: PairState, finish?: string) =>
  ({ state, ...(finish ? { finish } : {}) }) as IRunInfo;

describe('isCutOff', () => {
  it.each([
    ['canceled', undefined, true],
    ['error', undefined, true],
    ['succeeded', 'length', true],
    ['succeeded', 'content_filter', false],
    ['succeeded', undefined, false],
    ['awaiting', undefined, false]
  ] as const)('is by state and finish: %s, %s', (state, finish, expected) => {
    expect(isCutOff(run(state, finish), 'Half a')).toBe(expected);
  });

  it('needs some text, and a run', () => {
    expect(isCutOff(run('canceled'), ' \n')).toBe(false);
    expect(isCutOff(null, 'text')).toBe(false);
  });
});
