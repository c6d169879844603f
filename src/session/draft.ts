import { UUID } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import { trans } from '../base/words';

const PREFIX = 'turnbook:draft:';

/** How long after the last key a draft is stored. */
const WRITE_MS = 250;

/**
 * The message being written in a chat.
 *
 * It is kept in the browser's storage under the chat, so that it survives a reload, and it reserves
 * the id of the cell that it becomes.
 */
export class Draft implements IDisposable {
  constructor(options: Draft.IOptions) {
    this._storage = options.storage;
  }

  /** Emitted when the text or the problem changes. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** The id of the cell that this message becomes. */
  get pair(): string {
    return this._pair;
  }

  /** Why the draft would not survive a reload; null if it would. */
  get problem(): string | null {
    return this._problem;
  }

  get text(): string {
    return this._text;
  }
  set text(value: string) {
    if (value === this._text) {
      return;
    }
    this._text = value;
    this._isOurs = true;
    // Storing a long text takes longer than typing a letter.
    clearTimeout(this._timer);
    this._timer = setTimeout(() => this.flush(), WRITE_MS);
    this._changed.emit();
  }

  /** Store what was typed now, for when the page closes. */
  flush(): void {
    clearTimeout(this._timer);
    const before = this._problem;
    this._write();
    if (this._problem !== before && !this._isDisposed) {
      this._changed.emit();
    }
  }

  /** Keep the text, but reserve another cell id. */
  renew(): void {
    this._pair = UUID.uuid4();
    this._write();
  }

  /**
   * Handle a draft that another tab sent or cleared: clear it here too, unless it was written here.
   */
  onStorage(key: string | null, value: string | null): void {
    if (key !== null && key === this._key && value === null && !this._isOurs) {
      this.clear();
    }
  }

  /**
   * Store the draft under this name from now on: the chat's id, or its path before it has one.
   *
   * What is stored there is put before what was written in the meantime.
   */
  open(name: string): void {
    const key = PREFIX + name;
    if (key === this._key) {
      return;
    }
    const stored = this._read(key);
    if (this._key !== null) {
      this._storage.removeItem(this._key);
    }
    this._key = key;
    if (stored) {
      this.restore(stored.pair, stored.text);
    } else {
      this._write();
    }
  }

  /** Start the next message. */
  clear(): void {
    clearTimeout(this._timer);
    this._pair = UUID.uuid4();
    this._text = '';
    this._isOurs = false;
    this._write();
    this._changed.emit();
  }

  /** Restore a message that could not be sent, before what was written since. */
  restore(pair: string, text: string): void {
    this._pair = pair;
    this._text = this._text.trim() ? `${text}\n\n${this._text}` : text;
    this._write();
    this._changed.emit();
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this.flush();
    this._isDisposed = true;
    Signal.clearData(this);
  }

  private _read(key: string): { text: string; pair: string } | null {
    const stored = this._storage.getItem(key);
    if (stored === null) {
      return null;
    }
    try {
      const { text, pair } = JSON.parse(stored) as Record<string, unknown>;
      if (typeof text === 'string' && typeof pair === 'string') {
        return { text, pair };
      }
      console.warn('Turnbook: a stored draft has another form');
    } catch (error) {
      console.warn('Turnbook: a stored draft cannot be read', error);
    }
    return null;
  }

  private _write(): void {
    if (this._key === null) {
      return;
    }
    try {
      if (this._text) {
        this._storage.setItem(
          this._key,
          JSON.stringify({ text: this._text, pair: this._pair })
        );
      } else {
        this._storage.removeItem(this._key);
      }
      this._problem = null;
    } catch (error) {
      console.warn('Turnbook: the draft cannot be stored', error);
      this._problem = trans.__(
        'This message is too long for the browser’s storage: send it or copy it before you reload.'
      );
    }
  }

  private _changed = new Signal<this, void>(this);
  private _isDisposed = false;
  private _isOurs = false;
  private _key: string | null = null;
  private _pair = UUID.uuid4();
  private _problem: string | null = null;
  private _storage: Draft.IStorage;
  private _text = '';
  private _timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * The namespace for `Draft` statics.
 */
export namespace Draft {
  /** Storage for drafts: the browser's `localStorage`. */
  export type IStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

  export interface IOptions {
    storage: IStorage;
  }
}
