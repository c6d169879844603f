import { DisposableDelegate, type IDisposable } from '@lumino/disposable';

import type { ILocal } from '../base/run';
import { isUnderWay } from './localstate';
import { errorMessage } from '../base/errors';

const FIRST_DELAY = 500;
const LONGEST_DELAY = 1000;

/** Polls the embedded model's state while it is watched and something is in progress. */
export class LocalWatch implements IDisposable {
  constructor(options: LocalWatch.IOptions) {
    this._options = options;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Watch until the result is disposed. */
  watch(): IDisposable {
    this._watchers++;
    this.wake();
    return new DisposableDelegate(() => {
      this._watchers--;
      if (this._watchers === 0) {
        this._halt();
      }
    });
  }

  /** Check again whether there is something to wait for; call it when the state changed. */
  wake(): void {
    if (!this._wanted) {
      this._halt();
    } else if (this._timer === null && !this._asking) {
      this._timer = setTimeout(() => void this._ask(), this._delay);
    }
  }

  dispose(): void {
    this._isDisposed = true;
    this._halt();
  }

  private get _wanted(): boolean {
    return (
      !this._isDisposed &&
      this._watchers > 0 &&
      isUnderWay(this._options.current())
    );
  }

  private async _ask(): Promise<void> {
    this._timer = null;
    this._asking = true;
    this._delay = Math.min(this._delay * 1.25, LONGEST_DELAY);
    try {
      const local = await this._options.ask();
      // Without watchers, a newer state may have been set in the meantime.
      if (this._wanted) {
        this._options.tell(local);
      }
    } catch (error) {
      if (this._wanted) {
        this._options.fail(errorMessage(error));
      }
    } finally {
      this._asking = false;
    }
    this.wake();
  }

  private _halt(): void {
    if (this._timer !== null) {
      clearTimeout(this._timer);
      this._timer = null;
    }
    this._delay = FIRST_DELAY;
  }

  private _asking = false;
  private _delay = FIRST_DELAY;
  private _isDisposed = false;
  private _options: LocalWatch.IOptions;
  private _timer: ReturnType<typeof setTimeout> | null = null;
  private _watchers = 0;
}

/**
 * The namespace for `LocalWatch` statics.
 */
export namespace LocalWatch {
  export interface IOptions {
    /** Ask the server. */
    ask: () => Promise<ILocal>;
    /** The state known now. */
    current: () => ILocal | null;
    /** Called with a newer state. */
    tell: (local: ILocal) => void;
    /** Called when the server did not respond; it is asked again. */
    fail: (message: string) => void;
  }
}
