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
 * Pause & review in one chat: its switch, and the paused message.
 *
 * Both are kept in the browser's database, never in the notebook, so that a reload loses nothing
 * and sends nothing.
 */
export class PauseControl implements IDisposable {
  constructor(options: PauseControl.IOptions) {
    this._store = options.store;
  }

  /** Emitted when the mode or the paused message changes. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Which messages are paused. */
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

  /** The mode in chats where the user never set it. */
  set fallback(mode: PauseMode) {
    const before = this._fallback;
    this._fallback = mode;
    if (!this._isChosen && this.mode === before) {
      void this._handle({ type: 'set', mode });
    }
  }

  /** The paused message; null if there is none. */
  get held(): IHeld | null {
    return this._state.held;
  }

  /** Pause only the next message. */
  next(): void {
    void this._handle({ type: 'next' });
  }

  /**
   * Pause a message if the mode says so; return whether a message is paused.
   *
   * Resolves when the message would survive a reload.
   */
  async hold(message: IHeld): Promise<boolean> {
    await this._handle({ type: 'send', message });
    return this._state.held !== null;
  }

  /**
   * Release the paused message for sending.
   *
   * Rejects, and leaves it paused, if it would be paused again after a reload.
   */
  async resume(): Promise<void> {
    const { held, mode } = this;
    try {
      await this._handle({ type: 'resume' });
    } catch (error) {
      if (!this._isHeldStored || this.held) {
        return;
      }
      this._state = nextPause(this._state, {
        type: 'restore',
        state: { mode, held }
      });
      this._changed.emit();
      throw error;
    }
  }

  /** Pause a message again that was resumed but could not be sent. */
  async putBack(held: IHeld): Promise<void> {
    const { mode } = this;
    try {
      await this._handle({ type: 'restore', state: { mode, held } });
    } catch (error) {
      console.warn('Turnbook: a paused message is only in this page', error);
    }
  }

  /** Drop the paused message. */
  cancel(): Promise<void> {
    return this._handle({ type: 'cancel' });
  }

  /** Store the state under this name from now on, and load what is stored there. */
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
        // The chat has just got its id: the state stored under its path moves with it.
        await this._write();
        return;
      }
      // Its id was confirmed late, and there is a state stored under it.
    }
    if (this._isDisposed) {
      return;
    }
    if (stored === undefined) {
      // The user may have set the mode before it was known where to store it.
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
    this._isHeldStored = this.held !== null;
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
    this._isHeldStored = held !== null;
  }

  private _changed = new Signal<this, void>(this);
  private _fallback: PauseMode = 'off';
  private _isChosen = false;
  private _isDisposed = false;
  /** Whether the stored state has a paused message. */
  private _isHeldStored = false;
  private _key: string | null = null;
  private _state: IPauseState = NOT_PAUSED;
  private _store: PauseControl.IStore;
}

/**
 * The namespace for `PauseControl` statics.
 */
export namespace PauseControl {
  /** A database of the browser that stores the state. */
  export interface IStore {
    get(key: string): Promise<unknown>;
    set(key: string, value: unknown): Promise<void>;
    del(key: string): Promise<void>;
  }

  export interface IOptions {
    store: IStore;
  }
}
