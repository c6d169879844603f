/**
 * Where replays survive a reload, if the user wants that.
 */
import { createStore, del, entries, set, type UseStore } from 'idb-keyval';

import type { IBuilt, IReplayOrigin } from './source';

/** A replay as it is kept. */
export interface IKept {
  /** The replay's key; absent in what earlier versions kept. */
  readonly key?: string;
  readonly origin: IReplayOrigin;
  readonly built: IBuilt;
}

/** Keeps replays. */
export interface IReplayStore {
  put(key: string, kept: IKept): void;
  remove(key: string): void;
  all(): Promise<IKept[]>;
}

/**
 * Keeps replays in the browser's database while it is switched on; switching it off empties it.
 */
export class BrowserStore implements IReplayStore {
  /** Whether replays are kept. */
  get enabled(): boolean {
    return this._enabled;
  }
  set enabled(value: boolean) {
    this._enabled = value;
    if (!value) {
      this._do(async () => {
        // A database that nobody made is not made to be emptied.
        const known = await indexedDB.databases?.();
        if (!known || known.some(({ name }) => name === DATABASE)) {
          const kept = await entries(this._database);
          await Promise.all(kept.map(([key]) => del(key, this._database)));
        }
      });
    }
  }

  put(key: string, kept: IKept): void {
    if (this._enabled) {
      this._do(() => set(key, kept, this._database));
    }
  }

  remove(key: string): void {
    if (this._enabled) {
      this._do(() => del(key, this._database));
    }
  }

  async all(): Promise<IKept[]> {
    await this._last;
    return this._enabled
      ? (await entries<string, IKept>(this._database)).map(([, kept]) => kept)
      : [];
  }

  private get _database(): UseStore {
    return (this._opened ??= createStore(DATABASE, 'replays'));
  }

  /** One after the other, so that the last word is the last. */
  private _do(task: () => Promise<unknown>): void {
    this._last = this._last.then(task).catch(error => {
      console.warn('Turnbook: replays cannot be kept in this browser', error);
    });
  }

  private _enabled = false;
  private _last: Promise<unknown> = Promise.resolve();
  private _opened: UseStore | null = null;
}

const DATABASE = 'turnbook-replays';
