import type { RunState } from '../../base/run';
import { isSettled, isUnderWay } from '../lifecycle';
import { pairState } from '../state';

const RUNS: Record<RunState, 'under way' | 'settled'> = {
  claimed: 'under way',
  sending: 'under way',
  streaming: 'under way',
  done: 'settled',
  failed: 'settled',
  stopped: 'settled',
  interrupted: 'settled',
  unknown: 'settled'
};

describe('a pair', () => {
  it.each(Object.entries(RUNS))('whose run is %s is %s', (run, what) => {
    const state = pairState(run as RunState);
    expect(isUnderWay(state)).toBe(what === 'under way');
    expect(isSettled(state)).toBe(what === 'settled');
  });

  it('that was never sent is neither', () => {
    expect(isUnderWay('idle')).toBe(false);
    expect(isSettled('idle')).toBe(false);
  });
});
