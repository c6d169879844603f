import { INTERRUPTED } from '../../context/gather';
import type { IRunInfo, PairState } from '../../document/metadata';
import type { IRun, RunState } from '../../runs/types';
import { pairView } from '../pairview';

const info = (state: PairState, rest: Partial<IRunInfo> = {}): IRunInfo => ({
  state,
  model: 'p/m',
  createdAt: 1,
  updatedAt: 1,
  runId: 'r',
  attempt: 1,
  context: [],
  requestHash: 'h',
  ...rest
});

const live = (state: RunState, text = '') => ({
  run: { state, provider: 'p', model: 'm', end: null } as IRun,
  text
});

describe('pairView', () => {
  it('is idle for a cell that was never sent', () => {
    expect(pairView(null, null, true)).toMatchObject({
      state: 'idle',
      thinking: false,
      error: null,
      canRetry: false
    });
  });

  it('thinks until the first text, by what the run says', () => {
    const before = info('sending');
    expect(pairView(before, live('claimed'), true).thinking).toBe(true);
    expect(pairView(before, live('streaming'), true)).toMatchObject({
      state: 'awaiting',
      thinking: true
    });
    expect(pairView(before, live('streaming', 'H'), true).thinking).toBe(false);
  });

  it('calls a pair under way that no journal knows interrupted', () => {
    expect(pairView(info('sending'), null, false).state).toBe('sending');
    const view = pairView(info('sending'), null, true);
    expect(view.state).toBe('error');
    expect(view.error!.code).toBe('interrupted');
    expect(view.canRetry).toBe(false);
  });

  it('shows the sentinel that the model is told', () => {
    expect(pairView(info('canceled'), null, true)).toMatchObject({
      sentinel: INTERRUPTED,
      canRetry: true
    });
  });

  it('says why a reply ends where it does', () => {
    const cut = (finish: string) =>
      pairView(info('succeeded', { finish }), null, true).cut;
    expect(cut('length')).toBe('cut at the length limit');
    expect(cut('content_filter')).toMatch(/filter/);
    expect(cut('odd')).toBe('ended: odd');
    expect(pairView(info('succeeded'), null, true).cut).toBeNull();
  });

  it('shows what the reply cost', () => {
    const done = info('succeeded', { usage: { completion_tokens: 8 } });
    expect(pairView(done, null, true)).toMatchObject({
      tokens: 8,
      model: 'p/m',
      canRetry: false
    });
  });
});
