import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import {
  nextPause,
  NOT_PAUSED,
  readPauseState,
  type IHeld,
  type IPauseState,
  type PauseEvent,
  type PauseMode
} from './pause';

const PREFIX = 'turnbook:pause:';

/**
 * Pause & review in one chat: its switch, and the message that waits.
 *
 * Both are kept in the browser's database, never in the notebook, so that a reload loses
 * nothing and sends nothing.
 */
export class PauseControl implements IDisposable {
  constructor(options: PauseControl.IOptions) {
    this._store = options.store;
  }

  /** Emitted when the mode or the held message changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Which sends wait. */
  get mode(): PauseMode {
    return this._state.mode;
  }
  set mode(mode: PauseMode) {
    const isNews = !this._isChosen || mode !== this.mode;
    this._isChosen = true;
    if (isNews) {
      void this._handle({ type: 'set', mode }, true);
    }
  }

  /** Whether the user chose the mode in this chat. */
  get isChosen(): boolean {
    return this._isChosen || this.mode === 'once';
  }

  /** What the mode is in a chat in which the user never chose. */
  set fallback(mode: PauseMode) {
    const before = this._fallback;
    this._fallback = mode;
    if (!this._isChosen && this.mode === before) {
      void this._handle({ type: 'set', mode });
    }
  }

  /** The message that waits; null if none does. */
  get held(): IHeld | null {
    return this._state.held;
  }

  /** Hold the next message alone. */
  next(): void {
    void this._handle({ type: 'next' });
  }

  /**
   * Hold a message if messages are to be held; answers whether one is.
   *
   * It resolves when the message would survive a reload.
   */
  async hold(message: IHeld): Promise<boolean> {
    await this._handle({ type: 'send', message });
    return this._state.held !== null;
  }

  /** Let the held message go on. */
  resume(): Promise<void> {
    return this._handle({ type: 'resume' });
  }

  /** Hold a message again that was resumed and could not leave. */
  putBack(held: IHeld): Promise<void> {
    const { mode } = this;
    return this._handle({ type: 'restore', state: { mode, held } });
  }

  /** Take the held message back. */
  cancel(): Promise<void> {
    return this._handle({ type: 'cancel' });
  }

  /** Keep the state under this name from now on; what is stored there comes back. */
  async open(name: string): Promise<void> {
    const key = PREFIX + name;
    if (key === this._key) {
      return;
    }
    const before = this._key;
    this._key = key;
    const stored = await this._store.get(key);
    if (before !== null) {
      await this._store.del(before);
      if (stored === undefined || this._isChosen || this.held) {
        // A chat that got its id only now: what was kept under its path moves with it.
        await this._write();
        return;
      }
      // One whose id was confirmed late has what was kept under that.
    }
    if (this._isDisposed) {
      return;
    }
    if (stored === undefined) {
      // The user may have chosen before it was known where to keep it.
      await this._write();
      return;
    }
    const state = readPauseState(stored);
    this._isChosen = (stored as { isChosen?: unknown }).isChosen === true;
    this._state = nextPause(this._state, {
      type: 'restore',
      state:
        this._isChosen || state.mode === 'once'
          ? state
          : { ...state, mode: this._fallback }
    });
    this._changed.emit();
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    Signal.clearData(this);
  }

  private async _handle(event: PauseEvent, isChoice = false): Promise<void> {
    const next = nextPause(this._state, event);
    if (next !== this._state) {
      this._state = next;
      this._changed.emit();
    } else if (!isChoice) {
      return;
    }
    await this._write();
  }

  private async _write(): Promise<void> {
    if (this._key === null) {
      return;
    }
    const { held, mode } = this._state;
    if (!this._isChosen && held === null && mode !== 'once') {
      await this._store.del(this._key);
    } else {
      await this._store.set(this._key, {
        ...this._state,
        isChosen: this._isChosen
      });
    }
  }

  private _changed = new Signal<this, void>(this);
  private _fallback: PauseMode = 'off';
  private _isChosen = false;
  private _isDisposed = false;
  private _key: string | null = null;
  private _state: IPauseState = NOT_PAUSED;
  private _store: PauseControl.IStore;
}

/**
 * The namespace for `PauseControl` statics.
 */
export namespace PauseControl {
  /** Where the state is kept: a database of the browser. */
  export interface IStore {
    get(key: string): Promise<unknown>;
    set(key: string, value: unknown): Promise<void>;
    del(key: string): Promise<void>;
  }

  /** What the control needs. */
  export interface IOptions {
    store: IStore;
  }
}
