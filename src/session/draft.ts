import { UUID } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import { trans } from '../base/words';
import type { IAttachment } from '../document/attachments';
import type { DraftFiles } from './draftfiles';

const PREFIX = 'turnbook:draft:';

/** How long after the last key a draft is stored. */
const WRITE_MS = 250;

/**
 * The message being written in a chat.
 *
 * It is kept in the browser's storage under the chat, so that it survives a reload, and it reserves
 * the id of the cell that it becomes. What is attached to it is in the browser's database.
 */
export class Draft implements IDisposable {
  constructor(options: Draft.IOptions) {
    this._storage = options.storage;
    this._files = options.files;
  }

  /** Emitted when the text, the attachments or the problem change. */
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
    return this._problem ?? this._filesProblem;
  }

  /** Resolves when what is attached has been read. */
  get ready(): Promise<void> {
    return this._ready;
  }

  /** Whether there is nothing to send. */
  get isEmpty(): boolean {
    return !this._text.trim() && !this._attachments.length;
  }

  /** What is attached; the same list until it changes. */
  get attachments(): readonly IAttachment[] {
    return this._attachments;
  }

  /** Attach a file, unless the same one is attached already; return whether it was not. */
  attach(file: IAttachment): boolean {
    if (this._attachments.some(({ sha256 }) => sha256 === file.sha256)) {
      return false;
    }
    this._setAttachments([...this._attachments, file]);
    this._isOurs = true;
    return true;
  }

  /** Put another file in the place of an attached one. */
  replace(file: IAttachment, next: IAttachment): void {
    const others = this._attachments.filter(
      ({ sha256 }) => sha256 !== next.sha256
    );
    this._setAttachments(others.map(one => (one === file ? next : one)));
  }

  /** Remove an attached file. */
  detach(file: IAttachment): void {
    this._setAttachments(this._attachments.filter(one => one !== file));
  }

  /** Whether this page has written it, or a part of it. */
  get isOurs(): boolean {
    return this._isOurs;
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
    this._setAttachments(this._attachments);
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
      this._unread = stored.files;
      this.restore(stored.pair, stored.text, stored.files ? undefined : []);
    } else {
      this._write();
    }
  }

  /** Start the next message. */
  clear(): void {
    clearTimeout(this._timer);
    this._pair = UUID.uuid4();
    this._text = '';
    // The files stay stored until the message has reached the server.
    this._attachments = [];
    this._unread = 0;
    this._isOurs = false;
    this._write();
    this._changed.emit();
  }

  /**
   * Restore a message that could not be sent, before what was written since.
   *
   * @param attachments - What was attached to it; if absent, that is read from the storage.
   */
  restore(
    pair: string,
    text: string,
    attachments?: readonly IAttachment[]
  ): void {
    const before = this._pair;
    this._pair = pair;
    this._text = this._text.trim() ? `${text}\n\n${this._text}` : text;
    if (this._attachments.length && before !== pair) {
      this._watch(this._files?.drop(before));
    }
    if (attachments) {
      this._setAttachments(joined(attachments, this._attachments));
      return;
    }
    // Until they are read, a reload must find them again.
    const expected = this._unread;
    this._unread ||= 1;
    this._write();
    this._changed.emit();
    this._ready = this._readFiles(pair, expected);
  }

  /** Delete what was stored of a message that has reached the server. */
  forget(pair: string): void {
    if (pair !== this._pair) {
      this._watch(this._files?.drop(pair));
    }
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this.flush();
    this._isDisposed = true;
    Signal.clearData(this);
  }

  private _setAttachments(files: readonly IAttachment[]): void {
    if (files.length || this._attachments.length) {
      this._watch(this._files?.keep(this._pair, files));
    }
    this._attachments = files;
    this._filesProblem = null;
    this._write();
    this._changed.emit();
  }

  private async _readFiles(pair: string, expected: number): Promise<void> {
    let files: readonly IAttachment[] = [];
    let problem: string | null = null;
    try {
      files = (await this._files?.read(pair)) ?? [];
    } catch (error) {
      console.warn(
        'Turnbook: the attachments of a draft cannot be read',
        error
      );
      problem = trans.__(
        'The attachments of this message could not be read from the browser’s storage. Reload the page, or attach them again.'
      );
    }
    if (this._pair !== pair || this._isDisposed) {
      return;
    }
    if (problem === null) {
      this._unread = 0;
    }
    if (files.length) {
      this._setAttachments(joined(files, this._attachments));
    } else {
      this._write();
    }
    this._filesProblem =
      problem === null && files.length < expected ? missing() : problem;
    this._changed.emit();
  }

  /** Tell the user if files cannot be stored. */
  private _watch(work: Promise<void> | undefined): void {
    work?.catch(error => {
      console.warn('Turnbook: attachments cannot be stored', error);
      this._filesProblem = trans.__(
        'The attachments are too large for the browser’s storage: send them before you reload.'
      );
      if (!this._isDisposed) {
        this._changed.emit();
      }
    });
  }

  private _read(
    key: string
  ): { text: string; pair: string; files: number } | null {
    const stored = this._storage.getItem(key);
    if (stored === null) {
      return null;
    }
    try {
      const { text, pair, files } = JSON.parse(stored) as Record<
        string,
        unknown
      >;
      if (typeof text === 'string' && typeof pair === 'string') {
        return { text, pair, files: Number(files) || 0 };
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
      const files = this._attachments.length + this._unread;
      if (this._text || files) {
        this._storage.setItem(
          this._key,
          JSON.stringify({
            text: this._text,
            pair: this._pair,
            ...(files ? { files } : {})
          })
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

  private _attachments: readonly IAttachment[] = [];
  private _changed = new Signal<this, void>(this);
  private _files: DraftFiles | undefined;
  private _filesProblem: string | null = null;
  private _isDisposed = false;
  private _isOurs = false;
  private _key: string | null = null;
  private _pair = UUID.uuid4();
  private _problem: string | null = null;
  private _ready: Promise<void> = Promise.resolve();
  private _storage: Draft.IStorage;
  private _text = '';
  private _timer: ReturnType<typeof setTimeout> | undefined;
  /** How many stored files are not read yet. */
  private _unread = 0;
}

/**
 * The namespace for `Draft` statics.
 */
export namespace Draft {
  /** Storage for drafts: the browser's `localStorage`. */
  export type IStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

  export interface IOptions {
    storage: IStorage;
    /** Where attachments are stored; without it they do not survive a reload. */
    files?: DraftFiles;
  }
}

function missing(): string {
  return trans.__(
    'Some attachments of this message are no longer in the browser’s storage. Attach them again.'
  );
}

/** Both lists, without what is in the first one twice. */
function joined(
  files: readonly IAttachment[],
  more: readonly IAttachment[]
): readonly IAttachment[] {
  const known = new Set(files.map(({ sha256 }) => sha256));
  return [...files, ...more.filter(({ sha256 }) => !known.has(sha256))];
}
