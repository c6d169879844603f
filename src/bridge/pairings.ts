import { isObject } from '../base/json';
import { renamedPath } from '../document/about';
import type { Draft } from '../session/draft';

const KEY = 'turnbook:about';

/** How many notebooks are remembered. */
const KEPT = 200;

/**
 * Which chat was used last with which notebook, in this browser.
 *
 * The chat's file says it too, but a closed file is not changed when its notebook is renamed.
 */
export class Pairings {
  constructor(private _storage: Draft.IStorage) {}

  /** The chat of a notebook; null if none is known. */
  chatOf(notebook: string): string | null {
    return this._read().find(([one]) => one === notebook)?.[1] ?? null;
  }

  /** The notebook that a chat was used with last; null if none is known. */
  notebookOf(chat: string): string | null {
    return this._read().find(([, one]) => one === chat)?.[0] ?? null;
  }

  /** Remember the chat of a notebook. */
  set(notebook: string, chat: string): void {
    const others = this._read().filter(([one]) => one !== notebook);
    this._write([[notebook, chat], ...others]);
  }

  /** Forget the chat of a notebook. */
  forget(notebook: string): void {
    this._write(this._read().filter(([one]) => one !== notebook));
  }

  /** Record that a file or folder was renamed. */
  rename(from: string, to: string): void {
    const before = this._read();
    const after = before.map(([notebook, chat]): [string, string] => [
      renamedPath(notebook, from, to),
      renamedPath(chat, from, to)
    ]);
    if (JSON.stringify(after) !== JSON.stringify(before)) {
      this._write(after);
    }
  }

  private _read(): [string, string][] {
    let value: unknown;
    try {
      value = JSON.parse(this._storage.getItem(KEY) ?? '{}');
    } catch (error) {
      // Anything in the page may write there.
      console.warn('Turnbook: the chats of notebooks are unreadable', error);
    }
    return Object.entries(isObject(value) ? value : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string'
    );
  }

  private _write(entries: [string, string][]): void {
    try {
      const kept = Object.fromEntries(entries.slice(0, KEPT));
      this._storage.setItem(KEY, JSON.stringify(kept));
    } catch (error) {
      // The chat beside the notebook is still found by its name.
      console.warn('Turnbook: the chat of a notebook is not kept', error);
    }
  }
}
