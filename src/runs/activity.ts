import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import { isNewer, isWaiting } from './attempts';
import { ALL_CHATS } from './polling';
import type { RunSocket } from './socket';
import { isAlive, type IRun } from '../base/run';

/** How many turns that are over are remembered. */
const KEPT = 200;

/**
 * What goes on in all chats of the server, open or not: the runs that are alive and those
 * after which the server will try again.
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

  /** Emitted when there is news. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The runs that are alive, oldest first. */
  get alive(): IRun[] {
    return this._sorted(isAlive);
  }

  /** The runs after which the server will try again, oldest first. */
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
      // Kept for a while, or late news of an attempt before it would count.
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

/** What goes on, in a few words. */
export function activityText(streams: number, retries: number): string {
  const parts = [
    ...(streams ? [`${streams} ${streams === 1 ? 'stream' : 'streams'}`] : []),
    ...(retries
      ? [`${retries} ${retries === 1 ? 'retry' : 'retries'} waiting`]
      : [])
  ];
  return parts.join(', ') || 'idle';
}
