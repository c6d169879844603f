/** From a run to the state of its pair. */
import type { IOutcome, IRun, RunState } from '../base/run';
import type { IPairError, PairState } from './metadata';

/** The state of a pair whose run is in `state`. */
export function pairState(state: RunState): PairState {
  switch (state) {
    case 'claimed':
    case 'sending':
      return 'sending';
    case 'streaming':
      return 'awaiting';
    case 'done':
      return 'succeeded';
    case 'stopped':
      return 'canceled';
    case 'failed':
    case 'interrupted':
    case 'unknown':
      return 'error';
  }
}

/** The error of a pair for its run; undefined if there is none. */
export function pairError(
  run: Pick<IRun, 'state' | 'end'>
): IPairError | undefined {
  if (pairState(run.state) !== 'error') {
    return undefined;
  }
  const end: Partial<IOutcome> = run.end ?? {};
  return {
    type: end.type ?? 'unknown',
    code: end.code ?? run.state,
    status: end.status ?? null,
    message: end.message || 'The reply was interrupted.'
  };
}

/** A pair's error as a text for the user. */
export function errorText(error: IPairError): string {
  return `[error: ${error.code}] ${error.message}`;
}
