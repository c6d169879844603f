import type { IPairError } from '../../../document/metadata';
import type { IRun, ITurn } from '../../../base/run';
import { nullTranslator } from '@jupyterlab/translation';

import * as tested from '../barrier';
import type { IBarrierFacts } from '../barrier';

const trans = nullTranslator.load('jupyterlab_turnbook');
const barrier = (facts: IBarrierFacts) => tested.barrier(facts, trans);

type TurnState = ITurn['turn'];

const turn = (change: Partial<TurnState> = {}): TurnState => ({
  auto: true,
  retryAt: null,
  failures: 1,
  generation: 0,
  paused: null,
  ...change
});

const error = (change: Partial<IPairError> = {}): IPairError => ({
  type: 'network',
  code: 'network',
  status: null,
  message: 'It broke.',
  ...change
});

const facts = (change: Partial<IBarrierFacts> = {}): IBarrierFacts => ({
  state: 'error',
  error: error(),
  characters: 41,
  newest: { attempt: 2, turn: turn() } as IRun,
  skew: 0,
  isForeign: false,
  options: [],
  ...change
});

const told = (change: Partial<TurnState>): IRun =>
  ({ attempt: 2, turn: turn(change) }) as IRun;

describe('barrier', () => {
  it('names the next attempt and its time, by this browser’s clock', () => {
    const shown = barrier(
      facts({ newest: told({ retryAt: 5000 }), skew: 1000 })
    );
    expect(shown).toEqual({
      headline: 'Connection lost',
      reached: 'after 41 characters',
      detail: '',
      next: { attempt: 3, at: 4000 },
      canRetry: true,
      canStop: true,
      remedy: null,
      mood: 'waiting'
    });
  });

  it('is manual after auto-retry was stopped, whatever time is on record', () => {
    const shown = barrier(
      facts({ newest: told({ auto: false, retryAt: 5000 }) })
    )!;
    expect(shown.next).toBeNull();
    expect(shown.canStop).toBe(false);
    expect(shown.canRetry).toBe(true);
    expect(shown.detail).toBe('Auto-retry is off.');
  });

  it('is manual when no journal knows the run, whatever the file says', () => {
    const shown = barrier(facts({ newest: null, isForeign: true }))!;
    expect(shown).toMatchObject({
      headline: 'Interrupted',
      next: null,
      canRetry: true,
      canStop: false
    });
    expect(shown.detail).toMatch(/no record/);
  });

  it('says why the server pauses', () => {
    const paused = 'Five attempts in a row brought no new text';
    expect(barrier(facts({ newest: told({ paused }) }))).toMatchObject({
      detail: `${paused}.`,
      next: null,
      canRetry: true
    });
  });

  it('is calm about a reply that the user stopped', () => {
    expect(
      barrier(facts({ state: 'canceled', error: null, characters: 1 }))
    ).toMatchObject({
      headline: 'Stopped',
      reached: 'after 1 character',
      mood: 'calm',
      canRetry: true,
      canStop: false
    });
  });

  it('does not exist for a pair that succeeded or is in progress', () => {
    for (const state of ['idle', 'sending', 'awaiting', 'succeeded'] as const) {
      expect(barrier(facts({ state, error: null }))).toBeNull();
    }
  });

  it.each([
    ["Unsupported parameter: 'max_tokens' is not supported.", 'max_tokens'],
    ['temperature: must be less than 1', 'temperature'],
    ['"small" does not support tools', 'tools'],
    ['Unknown name "user": Cannot find field.', 'user'],
    ['The user may not ask this', null],
    ['Something else is wrong', null]
  ])(
    'names the option that a provider does not accept: %s',
    (message, name) => {
      const options = ['temperature', 'max_tokens', 'tools', 'user'];
      const status = 400;
      const shown = barrier(
        facts({
          error: error({ type: 'unknown', code: 'bad', status, message }),
          options
        })
      )!;
      expect(shown.headline).toBe(
        name === null
          ? 'The provider did not accept the request'
          : `The provider did not accept the option \u2068${name}\u2069`
      );
      expect(shown.canRetry).toBe(name === null);
    }
  );

  it.each([
    [{ type: 'auth', code: 'auth', status: 401 }, /key/, /valid key/],
    [{ type: 'rate', code: 'quota', status: 402 }, /quota/, /credit/],
    [{ code: 'model_not_found', status: 404 }, /model/, /another model/],
    [
      { code: 'context_length_exceeded', status: 400 },
      /Too long/,
      /larger window/
    ],
    [{ code: 'content_policy', status: 400 }, /refused/, /Change the message/],
    [
      { code: 'invalid_request', status: 422 },
      /not accept/,
      /provider was at fault/
    ],
    [{ code: 'unknown', status: null }, /not known/, /billed/],
    [
      { code: 'internal', status: null },
      /No reply arrived/,
      /cause is unknown/
    ],
    [{ code: 'unknown-provider', status: null }, /not set up/, /settings/],
    [{ code: 'content-encoding', status: 200 }, /compressed/, /Turn compr/],
    [{ code: 'too-large', status: 200 }, /larger than/, /run_max_bytes/],
    [{ code: 'bad-proxy', status: null }, /proxy/, /unset the proxy/],
    [{ code: 'local-missing', status: null }, /embedded/, /Fetch it/]
  ] as const)('says what helps against %j', (change, headline, help) => {
    const shown = barrier(
      facts({ error: error({ type: 'unknown', message: '', ...change }) })
    )!;
    expect(shown.headline).toMatch(headline);
    expect(shown.detail).toMatch(help);
    expect(shown.mood).toBe('stuck');
    expect(shown.canStop).toBe(false);
  });

  it('offers no retry where the same request would be refused again', () => {
    const retry = (code: string) =>
      barrier(facts({ error: error({ type: 'unknown', code, status: 400 }) }))!
        .canRetry;
    expect(
      ['context_length_exceeded', 'content_policy', 'other'].map(retry)
    ).toEqual([false, false, true]);
  });

  it('offers the providers dialog if that helps', () => {
    const auth = error({ type: 'auth', code: 'auth', status: 401 });
    expect(barrier(facts({ error: auth }))!.remedy).toBe('providers');
    expect(barrier(facts())!.remedy).toBeNull();
  });
});

describe('countdown', () => {
  it.each([
    [4000, 'in 4 s'],
    [3001, 'in 4 s'],
    [1, 'in 1 s'],
    [0, 'now'],
    [-5000, 'now'],
    [119_000, 'in 119 s'],
    [121_000, 'in 3 min'],
    [3_600_000, 'in 60 min'],
    [10_800_000, 'in 3 h']
  ])('of %d ms is %s', (left, words) => {
    expect(tested.countdown(10_000 + left, 10_000, trans)).toBe(words);
  });
});

describe('barrierText', () => {
  it('says all of a barrier, with the time of the next attempt', () => {
    const newest = { attempt: 2, turn: turn({ retryAt: 14_000 }) } as IRun;
    const shown = barrier(facts({ newest }))!;
    expect(tested.barrierText(shown, 10_000, trans)).toBe(
      'Connection lost after 41 characters. Next attempt (3) in 4 s.'
    );
    const stuck = barrier(
      facts({ characters: 0, error: error({ type: 'auth' }) })
    )!;
    expect(tested.barrierText(stuck, 0, trans)).toBe(
      'The provider refused the key. Give the provider a valid key, then retry.'
    );
  });
});
