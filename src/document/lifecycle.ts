/**
 * The states of a pair from the user's view. A pair's state is that of its run (`state.ts`);
 * nothing else changes it.
 */
import type { PairState } from './metadata';

/** A final state of a pair. */
export type SettledState = 'succeeded' | 'error' | 'canceled';

/** Whether a pair's request was sent and its reply is not complete yet. */
export function isUnderWay(state: PairState): boolean {
  return state === 'sending' || state === 'awaiting';
}

/** Whether a pair was sent and is not in progress. */
export function isSettled(state: PairState): state is SettledState {
  return state === 'succeeded' || state === 'error' || state === 'canceled';
}
