/**
 * @jest-environment node
 */
import type { IRun, IRunEvent } from '../../base/run';
import type { TurnbookAPI } from '../api';
import { LiveRun } from '../live';
import { connect } from './ends';

const RUN = {
  id: 'r',
  pair: 'p',
  attempt: 1,
  state: 'streaming',
  continues: null,
  replaces: null
} as unknown as IRun;

const END: IRunEvent['end'] = {
  type: null,
  code: null,
  message: '',
  status: 200,
  retryAfter: null,
  finish: 'stop'
};

const chunk = (content: string) =>
  JSON.stringify({ choices: [{ index: 0, delta: { content } }] });

/** Follow a run with the given events in the journal; resolves with its end. */
async function follow(...data: string[]): Promise<{ end: IRun; text: string }> {
  const ends = await connect();
  const live = new LiveRun({
    run: RUN,
    api: {} as TurnbookAPI,
    socket: ends.socket
  });
  const ended = new Promise<IRun>(resolve =>
    live.ended.connect((_, run) => resolve(run))
  );
  await ends.heard(1);
  data.forEach((one, at) =>
    ends.say({ run: 'r', event: { n: at + 1, data: one } })
  );
  const last = { n: data.length + 1, state: 'done' as const, end: END };
  ends.say({ run: 'r', event: last });
  const end = await ended;
  const { text } = live;
  live.dispose();
  ends.close();
  return { end, text };
}

describe('an event that cannot be read', () => {
  beforeEach(() => {
    jest.spyOn(console, 'warn').mockReturnValue();
    // The package that reads chunks reports it too.
    jest.spyOn(console, 'error').mockReturnValue();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('does not occur in a readable reply', async () => {
    const { end, text } = await follow(chunk('one '), chunk('two'));
    expect(text).toBe('one two');
    expect(end).toMatchObject({ state: 'done', end: { finish: 'stop' } });
  });

  it.each([
    ['cut', '{"choices": [{'],
    ['empty', ''],
    ['a number', '7'],
    ['null', 'null'],
    ['a list', '[]'],
    ['on two lines that are no JSON', 'one\ntwo'],
    ['like the end of a stream', '[DONE]'],
    ['like the end of a stream, with more', '[DONE] {"choices": []}']
  ])('is not passed over: %s', async (_, broken) => {
    const { end, text } = await follow(chunk('one '), broken, chunk('two'));
    // What comes after it is used.
    expect(text).toBe('one two');
    expect(end).toMatchObject({
      state: 'failed',
      end: { code: 'unreadable', finish: 'stop' }
    });
  });

  it('is not ignored at the beginning, at the end, or alone', async () => {
    for (const data of [['{', chunk('x')], [chunk('x'), '{'], ['{']]) {
      const { end } = await follow(...data);
      expect(end.end?.code).toBe('unreadable');
    }
  });
});

it('is read again if the journal has lost what was shown', async () => {
  for (const left of [0, 1, 2]) {
    const ends = await connect();
    const live = new LiveRun({
      run: RUN,
      api: {} as TurnbookAPI,
      socket: ends.socket
    });
    const ended = new Promise<IRun>(resolve =>
      live.ended.connect((_, run) => resolve(run))
    );
    await ends.heard(1);
    const shown = new Promise<void>(resolve =>
      live.grown.connect(() => live.text === 'one two three' && resolve())
    );
    const events = ['one', ' two', ' three'].map((text, at) => ({
      n: at + 1,
      data: chunk(text)
    }));
    events.forEach(event => ends.say({ run: 'r', event }));
    await shown;
    const end = { n: left + 1, state: 'interrupted' as const, end: END };
    ends.say({
      status: { ...RUN, state: 'interrupted', end: END, events: left + 1 }
    });
    // It asks for everything.
    await ends.heard(3);
    expect(ends.said.at(-1)).toMatchObject({ after: 0 });
    for (const event of [...events.slice(0, left), end]) {
      ends.say({ run: 'r', event });
    }
    expect(await ended).toMatchObject({ state: 'interrupted' });
    expect(live.text).toBe(['', 'one', 'one two'][left]);
    live.dispose();
    ends.close();
  }
});
