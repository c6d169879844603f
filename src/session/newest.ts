import { turnKey, type IRun } from '../base/run';
import { isNewer, isWaiting } from '../runs/attempts';

/** The newest attempt at each turn that the server reported. */
export class NewestAttempts {
  /** By `turnKey`. */
  get(turn: string): IRun | null {
    return this._runs.get(turn) ?? null;
  }

  /** The attempt after which the server will start another one; null if there is none. */
  get waiting(): IRun | null {
    return this.allWaiting[0] ?? null;
  }

  /** All such attempts. */
  get allWaiting(): IRun[] {
    return [...this._runs.values()].filter(isWaiting);
  }

  /** Record an attempt that the server reported; return whether it is the newest. */
  learn(run: IRun): boolean {
    const known = this._runs.get(turnKey(run));
    if (known && isNewer(known, run)) {
      return false;
    }
    this._runs.set(turnKey(run), run);
    return true;
  }

  /** Clear the list, since the server reports everything from the start; return what was known. */
  clear(): ReadonlyMap<string, IRun> {
    const known = this._runs;
    this._runs = new Map();
    return known;
  }

  private _runs = new Map<string, IRun>();
}
