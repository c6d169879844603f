import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import { trans } from '../base/words';
import { isNewer, isWaiting } from './attempts';
import { ALL_CHATS } from './polling';
import type { RunSocket } from './socket';
import { isAlive, type IRun } from '../base/run';

/** How many finished turns are remembered. */
const KEPT = 200;

/**
 * The activity in all chats of the server, open or not: runs in progress, and runs that the server
 * will retry.
 */
export class RunActivity implements IDisposable {
  constructor(socket: Pick<RunSocket, 'watch'>) {
    this._watch = socket.watch(ALL_CHATS, {
      onRuns: runs => {
        this._runs.clear();
        runs.forEach(run => this._take(run));
        this._changed.emit();
      },
      onChanged: run => {
        this._take(run);
        this._changed.emit();
      }
    });
  }

  /** Emitted when the activity changes. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The runs in progress, oldest first. */
  get alive(): IRun[] {
    return this._sorted(isAlive);
  }

  /** The runs that the server will retry, oldest first. */
  get waiting(): IRun[] {
    return this._sorted(isWaiting);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._watch.dispose();
      Signal.clearData(this);
    }
  }

  private _take(run: IRun): void {
    const key = JSON.stringify([run.chat, run.pair]);
    const known = this._runs.get(key);
    if (known && isNewer(known, run)) {
      return;
    }
    this._runs.set(key, run);
    if (!isAlive(run) && !isWaiting(run)) {
      // Remember it for a while, so that late news of an earlier attempt is ignored.
      this._over.push(key);
      for (const old of this._over.splice(
        0,
        Math.max(0, this._over.length - KEPT)
      )) {
        const past = this._runs.get(old);
        if (past && !isAlive(past) && !isWaiting(past)) {
          this._runs.delete(old);
        }
      }
    }
  }

  private _sorted(wanted: (run: IRun) => boolean): IRun[] {
    return [...this._runs.values()]
      .filter(wanted)
      .sort((a, b) => a.createdAt - b.createdAt);
  }

  private _changed = new Signal<this, void>(this);
  private _isDisposed = false;
  private _over: string[] = [];
  private _runs = new Map<string, IRun>();
  private _watch: IDisposable;
}

/** The activity as a short text. */
export function activityText(streams: number, retries: number): string {
  const parts = [
    ...(streams ? [trans._n('%1 stream', '%1 streams', streams)] : []),
    ...(retries
      ? [trans._n('%1 retry waiting', '%1 retries waiting', retries)]
      : [])
  ];
  return parts.join(', ') || trans.__('idle');
}
