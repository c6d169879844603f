import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

/** Whether the bytes that were sent are those that the browser made. */
export type ParityState = 'agrees' | 'differs' | 'unknown';

/** The server's hash of the bytes of a pair's run. */
export interface IRunHash {
  readonly id: string;
  readonly pair: string;
  readonly hash: string;
}

/** A comparison of hashes. */
export interface IComparison {
  readonly state: ParityState;
  readonly runId: string;
  /** The browser's hash; empty if unknown. */
  readonly made: string;
  /** The hash of the bytes on the wire. */
  readonly wire: string;
}

/**
 * For each pair, compares the browser's hash of its request with the server's hash of the bytes on
 * the wire.
 */
export class Parity implements IDisposable {
  /** Emitted with the pair whose hashes were compared. */
  get changed(): ISignal<this, string> {
    return this._changed;
  }

  /** Emitted when the hashes of a run differ, once for each run. */
  get mismatch(): ISignal<this, IComparison & { pair: string }> {
    return this._mismatch;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** The latest comparison for a pair. */
  of(pair: string): IComparison {
    return (
      this._known.get(pair) ?? {
        state: 'unknown',
        runId: '',
        made: '',
        wire: ''
      }
    );
  }

  /** Compare the hash of a run with the browser's. */
  compare(run: IRunHash, made: string): IComparison {
    const known = this._known.get(run.pair);
    if (known?.runId === run.id && known.made === made) {
      return known;
    }
    const state = compareHashes(made, run.hash);
    const found = { state, runId: run.id, made, wire: run.hash };
    this._known.set(run.pair, found);
    this._changed.emit(run.pair);
    if (state === 'differs') {
      this._mismatch.emit({ ...found, pair: run.pair });
    }
    return found;
  }

  dispose(): void {
    this._isDisposed = true;
    Signal.clearData(this);
  }

  private _changed = new Signal<this, string>(this);
  private _isDisposed = false;
  private _known = new Map<string, IComparison>();
  private _mismatch = new Signal<this, IComparison & { pair: string }>(this);
}

/** Compare two hashes; an empty one is unknown. */
export function compareHashes(made: string, wire: string): ParityState {
  return made && wire
    ? made.toLowerCase() === wire.toLowerCase()
      ? 'agrees'
      : 'differs'
    : 'unknown';
}
