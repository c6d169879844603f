/**
 * The life of a pair: one function from a state and an event to the next state.
 */
import type { RunState } from '../runs/types';
import type { PairState } from './metadata';

/** A state in which a pair can stay. */
export type SettledState = 'succeeded' | 'error' | 'canceled';

/**
 * What can happen to a pair.
 *
 * - The user: `send` a new message, `resend` an edited one, `retry` as it stands, `stop`,
 *   `restore` an earlier version, which brings its own state with it.
 * - The server: `claim` (an attempt exists, perhaps made by another page or by the server's own
 *   retry), `refuse` (there will be no attempt), `firstByte`, and how the attempt ended:
 *   `succeed`, `fail`, `stop`.
 *
 * Deleting a pair takes its cell away and is no state; if the pair is under way, it is stopped.
 */
export type PairEvent =
  | 'send'
  | 'resend'
  | 'retry'
  | 'claim'
  | 'refuse'
  | 'firstByte'
  | 'succeed'
  | 'fail'
  | 'stop'
  | { restore: SettledState };

/** The state of a pair after an event; an event that has no place in a state changes nothing. */
export function nextState(state: PairState, event: PairEvent): PairState {
  if (typeof event === 'object') {
    return isUnderWay(state) ? state : event.restore;
  }
  switch (event) {
    case 'send':
      return state === 'idle' ? 'sending' : state;
    case 'resend':
      return isSettled(state) ? 'sending' : state;
    case 'retry':
      return state === 'error' || state === 'canceled' ? 'sending' : state;
    case 'claim':
      // One run of a chat lives at a time: a new claim means that what was before it is over.
      return 'sending';
    case 'refuse':
      return state === 'sending' ? 'idle' : state;
    case 'firstByte':
      return state === 'sending' ? 'awaiting' : state;
    case 'succeed':
      return isUnderWay(state) ? 'succeeded' : state;
    case 'fail':
      return isUnderWay(state) ? 'error' : state;
    case 'stop':
      return isUnderWay(state) ? 'canceled' : state;
  }
}

/** Whether the user can do something with a pair in a state. */
export function canDo(
  state: PairState,
  action: 'send' | 'resend' | 'retry' | 'stop'
): boolean {
  return nextState(state, action) !== state;
}

/** Whether a pair's request is out and its reply not yet complete. */
export function isUnderWay(state: PairState): boolean {
  return state === 'sending' || state === 'awaiting';
}

/** Whether a pair was sent and nothing of it is under way. */
export function isSettled(state: PairState): state is SettledState {
  return state === 'succeeded' || state === 'error' || state === 'canceled';
}

/**
 * What happened to a pair whose run now stands at `run`, from the run's beginning.
 *
 * From whatever state, these events lead to the state of the run, so a page that missed some
 * of them arrives where the others are.
 */
export function runEvents(run: RunState): PairEvent[] {
  switch (run) {
    case 'claimed':
    case 'sending':
      return ['claim'];
    case 'streaming':
      return ['claim', 'firstByte'];
    case 'done':
      return ['claim', 'firstByte', 'succeed'];
    case 'stopped':
      return ['claim', 'stop'];
    case 'failed':
    case 'interrupted':
    case 'unknown':
      return ['claim', 'fail'];
  }
}
