import { UUID } from '@lumino/coreutils';

import { errorMessage } from '../base/errors';
import type { Draft } from './draft';

const RUNS_KEY = 'turnbook:own-runs';
const TAB_KEY = 'turnbook:tab';
const MOST_RUNS = 100;

/**
 * The runs that this tab started, in all its chats.
 *
 * They survive a reload of the tab. A duplicated tab does not own them too: the browser copies the
 * tab's session storage, including an id of the tab, and a page that finds this id locked by
 * another page is in the copy.
 */
export class OwnRuns {
  constructor(private _options: OwnRuns.IOptions) {
    this._earlier = this._read();
    this.ready = this._claim();
  }

  /** Resolves when it is known whether the runs from before this page are this tab's. */
  readonly ready: Promise<void>;

  /** Whether this tab started a run; for runs from before this page, unknown until `ready`. */
  has(id: string): boolean {
    return this._ids.has(id);
  }

  add(id: string): void {
    this._ids.add(id);
    this._write();
  }

  private async _claim(): Promise<void> {
    const tab = this._options.storage.getItem(TAB_KEY);
    const isCopy = tab !== null && !(await this._take(tab));
    if (!isCopy) {
      this._ids = new Set([...this._earlier, ...this._ids]);
    }
    this._earlier = [];
    if (tab === null || isCopy) {
      const id = UUID.uuid4();
      await this._take(id);
      this._keep(TAB_KEY, id);
      this._write();
    }
  }

  private async _take(tab: string): Promise<boolean> {
    try {
      return await this._options.take(tab);
    } catch (error) {
      console.warn(
        `Turnbook: a tab cannot be told apart: ${errorMessage(error)}`
      );
      return true;
    }
  }

  private _read(): string[] {
    try {
      const stored: unknown = JSON.parse(
        this._options.storage.getItem(RUNS_KEY) ?? '[]'
      );
      return Array.isArray(stored) ? stored.map(String) : [];
    } catch (error) {
      console.warn('Turnbook: the runs of this tab cannot be read', error);
      return [];
    }
  }

  private _write(): void {
    const kept = [...this._earlier, ...this._ids].slice(-MOST_RUNS);
    this._keep(RUNS_KEY, JSON.stringify(kept));
  }

  private _keep(key: string, value: string): void {
    try {
      this._options.storage.setItem(key, value);
    } catch (error) {
      console.warn('Turnbook: the runs of this tab cannot be kept', error);
    }
  }

  /** What the storage contained, until it is known whose it is. */
  private _earlier: string[];
  private _ids = new Set<string>();
}

/**
 * The namespace for `OwnRuns` statics.
 */
export namespace OwnRuns {
  export interface IOptions {
    /** Storage that survives a reload of this tab and is copied with it: `sessionStorage`. */
    storage: Draft.IStorage;
    /** Lock a tab's id until this page ends; resolves with false if another page has it. */
    take: (tab: string) => Promise<boolean>;
  }
}
