import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

/** Whether the bytes that left are those that the browser made. */
export type ParityState = 'agrees' | 'differs' | 'unknown';

/** The hash that the server took of the bytes of a pair's run. */
export interface IRunHash {
  readonly id: string;
  readonly pair: string;
  readonly hash: string;
}

/** A comparison of hashes. */
export interface IComparison {
  readonly state: ParityState;
  readonly runId: string;
  /** The hash that the browser made; empty if that is not known. */
  readonly made: string;
  /** The hash of the bytes on the wire. */
  readonly wire: string;
}

/**
 * For each pair, whether the hash that the browser made of its request is the one that the
 * server took of the bytes on the wire.
 */
export class Parity implements IDisposable {
  /** Emitted with a pair whose hashes were compared. */
  get changed(): ISignal<this, string> {
    return this._changed;
  }

  /** Emitted with a comparison in which they differ, once for each run. */
  get mismatch(): ISignal<this, IComparison & { pair: string }> {
    return this._mismatch;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** What is known of a pair. */
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

  /** Compare the hash of a run with the one that the browser made. */
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

/** Compare two hashes; what is empty cannot be compared. */
export function compareHashes(made: string, wire: string): ParityState {
  return made && wire
    ? made.toLowerCase() === wire.toLowerCase()
      ? 'agrees'
      : 'differs'
    : 'unknown';
}
