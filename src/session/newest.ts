import type { IRun } from '../base/run';
import { isNewer, isWaiting } from '../runs/attempts';

/** The newest attempt at each pair that the server told of. */
export class NewestAttempts {
  get(pair: string): IRun | null {
    return this._runs.get(pair) ?? null;
  }

  /** The attempt after which the server will make another one by itself; null if none is to come. */
  get waiting(): IRun | null {
    return [...this._runs.values()].find(isWaiting) ?? null;
  }

  /** Take what the server said of an attempt; answers whether it is the newest. */
  learn(run: IRun): boolean {
    const known = this._runs.get(run.pair);
    if (known && isNewer(known, run)) {
      return false;
    }
    this._runs.set(run.pair, run);
    return true;
  }

  /** Forget all, since the server tells them from the start; answers what was known. */
  clear(): ReadonlyMap<string, IRun> {
    const known = this._runs;
    this._runs = new Map();
    return known;
  }

  private _runs = new Map<string, IRun>();
}
