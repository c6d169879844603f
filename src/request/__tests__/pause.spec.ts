import * as fc from 'fast-check';

import {
  isEditor,
  nextPause,
  NOT_PAUSED,
  readPauseState,
  type IHeld,
  type IPauseState,
  type PauseEvent
} from '../pause';

const message: IHeld = { pair: 'p', text: 'Hello', at: 1, resend: false };
const send: PauseEvent = { type: 'send', message };

describe('nextPause', () => {
  it('lets a message through while it is off', () => {
    expect(nextPause(NOT_PAUSED, send)).toBe(NOT_PAUSED);
  });

  it('pauses one message, then is off again', () => {
    const once = nextPause(NOT_PAUSED, { type: 'next' });
    expect(once.mode).toBe('once');
    const held = nextPause(once, send);
    expect(held).toEqual({ mode: 'off', held: message });
    expect(nextPause(held, { type: 'resume' })).toEqual(NOT_PAUSED);
  });

  it('pauses every message while it is on', () => {
    const on = nextPause(NOT_PAUSED, { type: 'set', mode: 'always' });
    const held = nextPause(on, send);
    expect(held).toEqual({ mode: 'always', held: message });
    expect(nextPause(held, { type: 'cancel' })).toEqual(on);
  });

  it('pauses only the next one unless all are paused anyway', () => {
    const on: IPauseState = { mode: 'always', held: null };
    expect(nextPause(on, { type: 'next' })).toBe(on);
  });

  it('releases a paused message only by resume and cancel', () => {
    const other = { ...message, pair: 'q' };
    const events = fc.array(
      fc.constantFrom<PauseEvent>(
        { type: 'set', mode: 'off' },
        { type: 'set', mode: 'always' },
        { type: 'next' },
        { type: 'send', message: other }
      )
    );
    fc.assert(
      fc.property(events, list => {
        const start: IPauseState = { mode: 'always', held: message };
        expect(list.reduce(nextPause, start).held).toBe(message);
      })
    );
  });
});

describe('readPauseState', () => {
  it('reads what was stored', () => {
    const state: IPauseState = { mode: 'always', held: message };
    expect(readPauseState(JSON.parse(JSON.stringify(state)))).toEqual(state);
  });

  it('reads the paused bytes', () => {
    const trimmed = { pairs: 1, tokens: 2 };
    const payload = { body: '{}', marks: { trimmed } };
    const read = (stored: unknown) =>
      readPauseState({ mode: 'off', held: { ...message, payload: stored } })
        .held;
    expect(read(payload)).toEqual({ ...message, payload });
    expect(read({ body: '{}', marks: 3 })?.payload?.marks).toEqual({});
    expect(read({ body: 3 })).toEqual(message);
  });

  it('reads whether a reply is generated again, which has no editor to return to', () => {
    const again = { ...message, resend: true };
    const read = (regenerate: unknown) =>
      readPauseState({ mode: 'off', held: { ...again, regenerate } }).held!;
    expect(read(true)).toEqual({ ...again, regenerate: true });
    expect(isEditor(read(true))).toBe(false);
    expect(read('yes')).toEqual(again);
    expect(isEditor(read('yes'))).toBe(true);
  });

  it('treats unreadable values as not paused', () => {
    for (const value of [
      undefined,
      null,
      3,
      { mode: 'x', held: { pair: 1 } }
    ]) {
      expect(readPauseState(value)).toEqual(NOT_PAUSED);
    }
  });
});
