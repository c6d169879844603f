import type { Draft } from './draft';

const PREFIX = 'turnbook:made:';

/**
 * The chat files that this browser made.
 *
 * A file can say anything of itself, so this is kept in the browser, by the chat's id and the
 * file's path: what comes from elsewhere is not taken for the user's own.
 */
export class KnownFiles {
  constructor(private _storage: Draft.IStorage) {}

  /** Whether this browser made the file. */
  isMade(chatId: string, path: string): boolean {
    return this._storage.getItem(PREFIX + chatId) === path;
  }

  /** This browser has made the file. */
  make(chatId: string, path: string): void {
    try {
      this._storage.setItem(PREFIX + chatId, path);
    } catch (error) {
      console.warn('Turnbook: a new file will not be known as own', error);
    }
  }

  /** The file has another name. */
  move(chatId: string, from: string, to: string): void {
    if (this.isMade(chatId, from)) {
      this.make(chatId, to);
    }
  }
}
