import { INTERRUPTED } from '../../../context/gather';
import type { IRunInfo, PairState } from '../../../document/metadata';
import { replyOutput } from '../../../document/reply';
import { roundOutput } from '../../../document/rounds';
import type { IRun, RunState } from '../../../base/run';
import { english } from '../../../runs/__tests__/english';
import { pairView as viewOf } from '../pairview';
import { UNREAD, type IJournalFacts } from '../../../session/journalfacts';

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

const live = (state: RunState, text = '', calls: unknown[] = []) => ({
  run: { state, provider: 'p', model: 'm', end: null } as IRun,
  text,
  calls,
  outgrown: '',
  seams: []
});

/** The journal was read, and told of this newest attempt. */
const read = (newest: Partial<IRun> | null = null): IJournalFacts => ({
  read: true,
  newest: newest as IRun | null,
  skew: 0
});

/** The view of a pair in English. */
const pairView = (
  ...[info, live, ...rest]: WithoutFirst<Parameters<typeof viewOf>>
) => viewOf(english, info, live, ...rest);

type WithoutFirst<T extends unknown[]> = T extends [unknown, ...infer Rest]
  ? Rest
  : never;

describe('pairView', () => {
  it('is idle for a cell that was never sent', () => {
    expect(pairView(null, null, read())).toMatchObject({
      state: 'idle',
      thinking: false,
      error: null,
      barrier: null
    });
  });

  it('says how much of the request was edited, even while in progress', () => {
    const edited = { sections: 1, deleted: 1, added: 0, options: 0 };
    const sent = info('sending', { edited });
    expect(pairView(sent, live('streaming'), read()).edited).toBe(2);
    expect(pairView({ ...sent, state: 'succeeded' }, null).edited).toBe(2);
    expect(pairView(info('succeeded'), null).edited).toBe(0);
    expect(pairView(null, null).edited).toBe(0);
  });

  it('thinks until the first text, judging by the run', () => {
    const before = info('sending');
    expect(pairView(before, live('claimed'), read()).thinking).toBe(true);
    expect(pairView(before, live('streaming'), read())).toMatchObject({
      state: 'awaiting',
      thinking: true
    });
    expect(pairView(before, live('streaming', 'H'), read()).thinking).toBe(
      false
    );
    const calling = live('streaming', '', [{}]);
    expect(pairView(before, calling, read()).thinking).toBe(false);
  });

  it('shows a pair in progress that no journal knows as interrupted', () => {
    expect(pairView(info('sending'), null, UNREAD).state).toBe('sending');
    const view = pairView(info('sending'), null, read());
    expect(view.state).toBe('error');
    expect(view.error!.code).toBe('interrupted');
    expect(view.barrier).toMatchObject({ canRetry: true, next: null });
  });

  it('shows the sentinel that the model is told', () => {
    expect(pairView(info('canceled'), null, read())).toMatchObject({
      sentinel: INTERRUPTED,
      barrier: { mood: 'calm', canRetry: true, canStop: false }
    });
  });

  it('says why a reply ends where it does', () => {
    const cut = (finish: string) =>
      pairView(info('succeeded', { finish }), null, read()).cut;
    expect(cut('length')).toBe('cut at the length limit');
    expect(cut('content_filter')).toMatch(/filter/);
    expect(cut('odd')).toBe('ended: odd');
    expect(pairView(info('succeeded'), null, read()).cut).toBeNull();
  });

  it('says that a reply was joined, or is started over', () => {
    const seams = [{ at: 3 }, { at: 9, removed: 2 }];
    const joined = 'joined from 3 attempts';
    expect(pairView(info('succeeded', { seams }), null, read())).toMatchObject({
      joined,
      again: ''
    });
    const going = live('streaming', 'H');
    expect(pairView(info('error'), { ...going, seams }, read()).joined).toBe(
      joined
    );
    expect(pairView(info('error'), going, read())).toMatchObject({
      joined: '',
      again: ''
    });
    const behind = { ...going, outgrown: 'Half' };
    expect(pairView(info('error'), behind, read()).again).toBe(
      'starting again'
    );
    const silent = { ...behind, text: '' };
    expect(pairView(info('error'), silent, read())).toMatchObject({
      again: '',
      thinking: true
    });
  });

  it('says what the reply took', () => {
    const usage = { completion_tokens: 8, prompt_tokens: 100 };
    const done = info('succeeded', { usage, seconds: 12.4 });
    const price = { input: 1, output: 10 };
    expect(pairView(done, null, read(), '', 0, () => price)).toMatchObject({
      usage: '12 s · 100 in · 8 out · $0.00018',
      model: 'p/m',
      barrier: null
    });
    const round = roundOutput(
      {
        message: { role: 'assistant', content: null, tool_calls: [{}] },
        results: []
      },
      { runId: 'before', partial: false, usage }
    );
    const turn = pairView(done, null, read(), '', 0, () => price, [
      round,
      replyOutput({ text: 'x', runId: 'r', partial: false })
    ]);
    expect(turn.usage).toBe(
      '12 s · 200 in · 16 out · $0.00036 · in 2 requests'
    );
    expect(pairView(info('succeeded'), null, read()).usage).toBe('');
  });

  it('is in error while the server waits to retry', () => {
    const error = { type: 'network', code: 'network', status: null } as const;
    const broken = info('error', { error: { ...error, message: 'Broke.' } });
    const turn = { auto: true, retryAt: 9000 } as IRun['turn'];
    const waiting = { id: 'r', attempt: 2, turn };
    const view = pairView(broken, null, read(waiting), '', 41);
    expect(view.state).toBe('error');
    expect(view.barrier).toMatchObject({
      headline: 'Connection lost',
      reached: 'after 41 characters',
      next: { attempt: 3, at: 9000 }
    });
  });

  it('thinks while a continuing attempt has no text of its own', () => {
    const view = pairView(info('error'), live('streaming'), read());
    expect(view).toMatchObject({ state: 'awaiting', thinking: true });
  });
});
