import type { IRun } from '../../base/run';
import { CanceledRuns } from '../canceled';

const RUN = {
  id: 'late',
  state: 'claimed',
  landed: false,
  dropped: false,
  turn: { retryAt: null }
} as IRun;
const turn = () => new Promise(resolve => setTimeout(resolve));

/** Canceled messages, and what the server was asked to do. */
function canceled(stopped: Partial<IRun> = { state: 'stopped' }) {
  const asked: string[] = [];
  let isGone = false;
  const ask = (what: string) => async (id: string) => {
    asked.push(`${what} ${id}`);
    if (isGone) {
      throw new Error('gone');
    }
    return { ...RUN, ...stopped };
  };
  const runs = new CanceledRuns({
    stop: ask('stop'),
    drop: ask('drop'),
    land: ask('land')
  });
  const setGone = (gone: boolean) => {
    isGone = gone;
  };
  return { asked, runs, setGone };
}

describe('a message that was canceled', () => {
  it('is ended once when the server has it after all; others are not', async () => {
    const { asked, runs } = canceled();
    runs.add(['late', 'sibling'], false);
    expect(runs.ends({ ...RUN, id: 'another' })).toBe(false);
    expect(runs.ends(RUN)).toBe(true);
    expect(runs.ends({ ...RUN, state: 'sending' })).toBe(true);
    await turn();
    expect(asked).toEqual(['stop late', 'drop late']);
    expect(runs.ends({ ...RUN, state: 'stopped', dropped: true })).toBe(true);
    await turn();
    expect(asked).toHaveLength(2);
  });

  it('does not delete a pair that was there before', async () => {
    const { asked, runs } = canceled();
    runs.add(['late'], true);
    runs.ends(RUN);
    await turn();
    expect(asked).toEqual(['stop late', 'land late']);
  });

  it('that has ended is not stopped, but put away', async () => {
    const { asked, runs } = canceled();
    runs.add(['late'], false);
    runs.ends({ ...RUN, state: 'done' });
    await turn();
    expect(asked).toEqual(['drop late']);
  });

  it('is ended later if the server cannot be reached', async () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    const { asked, runs, setGone } = canceled();
    runs.add(['late'], false);
    setGone(true);
    expect(runs.ends(RUN)).toBe(true);
    await turn();
    setGone(false);
    expect(runs.ends(RUN)).toBe(true);
    await turn();
    expect(asked).toEqual(['stop late', 'stop late', 'drop late']);
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  });
});
