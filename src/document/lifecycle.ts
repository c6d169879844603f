/**
 * The states of a pair, as what they mean to the user. A pair's state is that of its run
 * (`state.ts`); nothing else moves it.
 */
import type { PairState } from './metadata';

/** A state in which a pair can stay. */
export type SettledState = 'succeeded' | 'error' | 'canceled';

/** Whether a pair's request is out and its reply not yet complete. */
export function isUnderWay(state: PairState): boolean {
  return state === 'sending' || state === 'awaiting';
}

/** Whether a pair was sent and nothing of it is under way. */
export function isSettled(state: PairState): state is SettledState {
  return state === 'succeeded' || state === 'error' || state === 'canceled';
}
