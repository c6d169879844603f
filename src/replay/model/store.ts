/** Stores replays across a reload, if the user wants that. */
import { createStore, del, entries, set, type UseStore } from 'idb-keyval';

import type { IBuilt, IReplayOrigin } from './source';

/** A stored replay. */
export interface IKept {
  /** The replay's key; absent in data from earlier versions. */
  readonly key?: string;
  readonly origin: IReplayOrigin;
  readonly built: IBuilt;
}

/** A storage for replays. */
export interface IReplayStore {
  put(key: string, kept: IKept): void;
  remove(key: string): void;
  all(): Promise<IKept[]>;
}

/**
 * Stores replays in the browser's database while it is enabled; disabling it empties the database.
 */
export class BrowserStore implements IReplayStore {
  /** Whether replays are stored. */
  get enabled(): boolean {
    return this._enabled;
  }
  set enabled(value: boolean) {
    this._enabled = value;
    if (!value) {
      this._do(async () => {
        // Do not create a database just to empty it.
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

  /** One after the other, so that the last write wins. */
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
