import { errorMessage } from '../base/errors';
import { isAlive, type IRun } from '../base/run';
import type { RunClaims } from './claims';

/**
 * Messages that the user canceled while nobody knew whether the server had them.
 *
 * A connection may deliver such a message much later. Its run is ended then, and shown nowhere.
 */
export class CanceledRuns {
  constructor(private _claims: CanceledRuns.IClaims) {}

  /** These were canceled; `isOld` if their pair was there before and stays. */
  add(ids: readonly string[], isOld: boolean): void {
    ids.forEach(id => this._ids.set(id, isOld));
  }

  /** Whether a run is one of them; if so, it ends. */
  ends(run: IRun): boolean {
    const isOld = this._ids.get(run.id);
    if (isOld === undefined) {
      return false;
    }
    if (!run.dropped && !run.landed && !this._ending.has(run.id)) {
      this._ending.add(run.id);
      void this._end(run, isOld).finally(() => this._ending.delete(run.id));
    }
    return true;
  }

  private async _end(run: IRun, isOld: boolean): Promise<void> {
    const { _claims: claims } = this;
    try {
      const ended =
        isAlive(run) || run.turn.retryAt !== null
          ? await claims.stop(run.id)
          : run;
      // The next page that opens the chat must not show it either.
      if (!isOld) {
        await claims.drop(run.id);
      } else if (!isAlive(ended)) {
        await claims.land(run.id);
      }
    } catch (error) {
      // The next news of the run tries again.
      console.warn(
        `Turnbook: a canceled message could not be stopped: ${errorMessage(error)}`
      );
    }
  }

  private readonly _ending = new Set<string>();
  private readonly _ids = new Map<string, boolean>();
}

/**
 * The namespace for `CanceledRuns` statics.
 */
export namespace CanceledRuns {
  export type IClaims = Pick<RunClaims, 'stop' | 'drop' | 'land'>;
}
