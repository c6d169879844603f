/**
 * Pause & review: whether a send waits before it leaves.
 */

import type { IRunInfo } from '../document/metadata';
import { isObject } from '../base/json';

/** Which sends wait: none, the next one alone, or every one. */
export type PauseMode = 'off' | 'once' | 'always';

/** A request whose bytes are sent as they are. */
export interface IPayload {
  body: string;
  /** Whether the request had been edited and trimmed when its record was made. */
  marks: Pick<IRunInfo, 'edited' | 'trimmed'>;
}

/** A message that waits for the user's word. */
export interface IHeld {
  pair: string;
  text: string;
  at: number;
  /** Whether it is another request than that of the message being written. */
  resend: boolean;
  /** The tool round from which the pair's turn goes on; absent if it is not a turn that goes on. */
  round?: number;
  /** The bytes that are sent; absent if the request is made from the cells. */
  payload?: IPayload;
}

/** Whether what waits came from the editor of a pair, and goes back there. */
export function isEditor({ resend, round, payload }: IHeld): boolean {
  return resend && round === undefined && !payload;
}

/** Where a chat's sending stands. */
export interface IPauseState {
  readonly mode: PauseMode;
  readonly held: IHeld | null;
}

/** What can happen to it. */
export type PauseEvent =
  | { type: 'set'; mode: PauseMode }
  | { type: 'next' }
  | { type: 'send'; message: IHeld }
  | { type: 'resume' }
  | { type: 'cancel' }
  | { type: 'restore'; state: IPauseState };

/** The state of someone who never used it. */
export const NOT_PAUSED: IPauseState = { mode: 'off', held: null };

/**
 * The state after an event. What an event does not concern comes back as the same object.
 *
 * A held message stays until it is resumed or canceled: neither another send nor the switch
 * lets it go.
 */
export function nextPause(state: IPauseState, event: PauseEvent): IPauseState {
  const { mode, held } = state;
  switch (event.type) {
    case 'set':
      return event.mode === mode ? state : { mode: event.mode, held };
    case 'next':
      return mode === 'off' ? { mode: 'once', held } : state;
    case 'send':
      if (held || mode === 'off') {
        return state;
      }
      return { mode: mode === 'once' ? 'off' : mode, held: event.message };
    case 'resume':
    case 'cancel':
      return held ? { mode, held: null } : state;
    case 'restore':
      return event.state;
  }
}

/** Read a stored state with care; what cannot be read counts as not paused. */
export function readPauseState(value: unknown): IPauseState {
  const { mode, held } = (value ?? {}) as Partial<IPauseState>;
  const isMode = mode === 'off' || mode === 'once' || mode === 'always';
  const isHeld =
    typeof held === 'object' &&
    held !== null &&
    typeof held.pair === 'string' &&
    typeof held.text === 'string';
  return {
    mode: isMode ? mode : 'off',
    held: isHeld
      ? {
          pair: held.pair,
          text: held.text,
          at: Number(held.at) || 0,
          resend: held.resend === true,
          ...(typeof held.round === 'number' ? { round: held.round } : {}),
          ...readPayload(held.payload)
        }
      : null
  };
}

function readPayload(value: unknown): Pick<IHeld, 'payload'> {
  if (!isObject(value) || typeof value.body !== 'string') {
    return {};
  }
  const { body, marks } = value;
  return { payload: { body, marks: isObject(marks) ? marks : {} } };
}
