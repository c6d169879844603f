/** Pause & review: whether a message waits for review before it is sent. */

import type { IRunInfo } from '../document/metadata';
import { isObject } from '../base/json';

/** Which messages are paused: none, only the next one, or all. */
export type PauseMode = 'off' | 'once' | 'always';

/** A request whose bytes are sent unchanged. */
export interface IPayload {
  body: string;
  /** Whether the request was edited and trimmed when its record was made. */
  marks: Pick<IRunInfo, 'edited' | 'trimmed'>;
}

/** A message that is paused for review. */
export interface IHeld {
  pair: string;
  text: string;
  at: number;
  /** Whether it is a request other than that of the message being written. */
  resend: boolean;
  /** Whether the pair's reply is generated again from its unchanged message; absent if not. */
  regenerate?: true;
  /** The tool round that the pair's turn continues from; absent if it does not continue a turn. */
  round?: number;
  /** The models to ask, with repeats; absent for the one that the request names. */
  models?: string[];
  /** Whether other models are asked for more replies to the pair; absent if not. */
  more?: true;
  /** The bytes to send; absent if the request is made from the cells. */
  payload?: IPayload;
}

/** Whether the message came from the editor of a pair, and returns there. */
export function isEditor(held: IHeld): boolean {
  const { resend, regenerate, round, payload, more } = held;
  return resend && !regenerate && round === undefined && !payload && !more;
}

/** The switch of a chat, and its paused message. */
export interface IPauseState {
  readonly mode: PauseMode;
  readonly held: IHeld | null;
}

export type PauseEvent =
  | { type: 'set'; mode: PauseMode }
  | { type: 'next' }
  | { type: 'send'; message: IHeld }
  | { type: 'resume' }
  | { type: 'cancel' }
  | { type: 'restore'; state: IPauseState };

/** The state of a chat where this was never used. */
export const NOT_PAUSED: IPauseState = { mode: 'off', held: null };

/**
 * Return the state after an event; the same object if the event changes nothing.
 *
 * A paused message stays until it is resumed or canceled: neither another send nor the switch
 * releases it.
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

/** Read a stored state defensively; invalid values count as not paused. */
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
          ...(held.regenerate === true ? { regenerate: true } : {}),
          ...(typeof held.round === 'number' ? { round: held.round } : {}),
          ...readModels(held.models),
          ...(held.more === true ? { more: true } : {}),
          ...readPayload(held.payload)
        }
      : null
  };
}

function readModels(value: unknown): Pick<IHeld, 'models'> {
  const isList =
    Array.isArray(value) && value.every(item => typeof item === 'string');
  return isList && value.length ? { models: value as string[] } : {};
}

function readPayload(value: unknown): Pick<IHeld, 'payload'> {
  if (!isObject(value) || typeof value.body !== 'string') {
    return {};
  }
  const { body, marks } = value;
  return { payload: { body, marks: isObject(marks) ? marks : {} } };
}
