import type { RequestDraft } from './draft';
import type { IRequestStorage } from '../base/storage';

const PREFIX = 'turnbook:request:';

/** How long to wait before edits of such a size are stored again, in milliseconds and bytes. */
const LARGE_WAIT = 200;
const LARGE = 100_000;

/**
 * Keeps the edits of the request being written in the browser's database, so that a reload
 * does not lose them. They are never written into the notebook.
 */
export class DraftKeeper {
  constructor(private _storage: IRequestStorage) {}

  /** Keep edits under this name from now on; answers those that are stored there for this pair. */
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
   * Store a draft, or forget it when there is nothing to keep.
   *
   * At once, since the page may be gone in a moment, unless that would make typing slow.
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

  /** Forget what is kept. */
  async clear(): Promise<void> {
    clearTimeout(this._timer);
    this._timer = undefined;
    this._draft = null;
    if (this._key !== null) {
      await this._storage.del(this._key);
    }
  }

  /** Store now; resolves when it would survive a reload. */
  async flush(): Promise<void> {
    clearTimeout(this._timer);
    this._timer = undefined;
    const draft = this._draft;
    // A draft that is shown before must not replace the edits that are about to come back.
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
  /** Whether what was stored under the key has been read. */
  private _isRead = false;
  private _key: string | null = null;
  /** How large what was stored last is. */
  private _size = 0;
  private _timer: ReturnType<typeof setTimeout> | undefined;
}
