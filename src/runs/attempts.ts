/**
 * How the attempts at one pair stand to each other.
 */
import { isAlive, type IRun } from '../base/run';

/** Whether the server will make another attempt after this one by itself. */
export function isWaiting(run: IRun): boolean {
  return !isAlive(run) && run.turn.auto && run.turn.retryAt !== null;
}

/** Whether anything came before the end, which is an event too. */
export function hasChunks(run: Pick<IRun, 'events' | 'end'>): boolean {
  return run.events > (run.end ? 1 : 0);
}

/** Whether what an attempt brought must be in the document before a next one, which begins anew, replaces it. */
export function landsFirst(present: IRun, next: IRun): boolean {
  return (
    !isAlive(present) && hasChunks(present) && next.continues !== present.id
  );
}

/** Whether what is known of a pair is later than what is told now. */
export function isNewer(known: IRun, told: IRun): boolean {
  return known.id === told.id
    ? !isAlive(known) && isAlive(told)
    : known.attempt > told.attempt;
}
