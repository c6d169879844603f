/** How the attempts at one pair relate. */
import { isAlive, type IRun } from '../base/run';

/** Whether the server will start another attempt after this one. */
export function isWaiting(run: IRun): boolean {
  return !isAlive(run) && run.turn.auto && run.turn.retryAt !== null;
}

/** Whether anything came before the end, which is an event too. */
export function hasChunks(run: Pick<IRun, 'events' | 'end'>): boolean {
  return run.events > (run.end ? 1 : 0);
}

/**
 * Whether an attempt's text must be in the document before the next one, which starts over,
 * replaces it.
 */
export function landsFirst(present: IRun, next: IRun): boolean {
  return (
    !isAlive(present) && hasChunks(present) && next.continues !== present.id
  );
}

/** Whether the known state of a pair is newer than an incoming one. */
export function isNewer(known: IRun, told: IRun): boolean {
  return known.id === told.id
    ? !isAlive(known) && isAlive(told)
    : known.attempt > told.attempt;
}

/** How a run ended: a reply with unreadable parts is not complete. */
export function honestEnd(
  { state, end }: Pick<IRun, 'state' | 'end'>,
  unreadable: number
): Pick<IRun, 'state' | 'end'> {
  if (!unreadable || state !== 'done') {
    return { state, end };
  }
  return {
    state: 'failed',
    end: {
      status: null,
      retryAfter: null,
      finish: null,
      ...end,
      type: 'server',
      code: 'unreadable',
      message:
        'Part of this reply could not be read and is missing here. The server keeps what came; use Edit & Resend to ask again.'
    }
  };
}
