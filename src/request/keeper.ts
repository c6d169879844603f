import type { RequestDraft } from './draft';
import type { IRequestStorage } from '../base/storage';

const PREFIX = 'turnbook:request:';

/** Edits larger than this many bytes are stored less often; the wait is in milliseconds. */
const LARGE_WAIT = 200;
const LARGE = 100_000;

/**
 * Stores the edits of the unsent request in the browser's database, so that a reload does not lose
 * them. They are never written into the notebook.
 */
export class DraftKeeper {
  constructor(private _storage: IRequestStorage) {}

  /** Store edits under this name from now on; return those already stored there for this pair. */
  async open(name: string, pair: () => string): Promise<Uint8Array | null> {
    const key = PREFIX + name;
    if (key === this._key) {
      return null;
    }
    const before = this._key;
    this._key = key;
    this._isRead = false;
    if (before !== null) {
      await this._storage.del(before);
    }
    const stored = (await this._storage.get(key)) as
      { pair?: unknown; state?: unknown } | undefined;
    if (this._key !== key) {
      return null;
    }
    this._isRead = true;
    if (this._draft) {
      this.keep(this._draft);
    }
    return stored?.pair === pair() && stored.state instanceof Uint8Array
      ? stored.state
      : null;
  }

  /**
   * Store a draft, or delete the stored one when there is nothing to keep.
   *
   * This happens at once, since the page may close any moment, unless it would slow down typing.
   */
  keep(draft: RequestDraft): void {
    this._draft = draft;
    const wait = this._size > LARGE ? LARGE_WAIT : 0;
    this._timer ??= setTimeout(() => {
      this.flush().catch(error => {
        console.warn('Turnbook: edits of the request cannot be kept', error);
      });
    }, wait);
  }

  /** Delete what is stored. */
  async clear(): Promise<void> {
    clearTimeout(this._timer);
    this._timer = undefined;
    this._draft = null;
    if (this._key !== null) {
      await this._storage.del(this._key);
    }
  }

  /** Store now; resolves when the edits would survive a reload. */
  async flush(): Promise<void> {
    clearTimeout(this._timer);
    this._timer = undefined;
    const draft = this._draft;
    // A draft shown before the stored edits are read must not overwrite them.
    if (!this._isRead || this._key === null || !draft || draft.isDisposed) {
      return;
    }
    this._draft = null;
    if (draft.hasEdits || draft.versions.length) {
      const { pair } = draft.base;
      const state = draft.encode();
      this._size = state.length;
      await this._storage.set(this._key, { pair, state });
    } else {
      await this._storage.del(this._key);
    }
  }

  private _draft: RequestDraft | null = null;
  /** Whether the stored edits under the key have been read. */
  private _isRead = false;
  private _key: string | null = null;
  /** The size of what was stored last. */
  private _size = 0;
  private _timer: ReturnType<typeof setTimeout> | undefined;
}
