import { isObject } from '../base/json';
import type { Draft } from './draft';

const PREFIX = 'turnbook:file:';

/** How many answers of one kind are kept for a file. */
const KEPT = 20;

/** What the user lets a file's requests use. */
export interface IAgreement {
  /** Models, as `provider/model`. */
  readonly models: readonly string[];
  /** Options, by their digest. */
  readonly options: readonly string[];
}

interface IEntry extends IAgreement {
  readonly made: boolean;
}

const NOTHING: IEntry = { made: false, models: [], options: [] };

/**
 * What this browser knows of chat files: which it made, and what the user answered to the others.
 *
 * A file can say anything of itself, so this is kept in the browser, by the chat's id and the
 * file's path: what comes from elsewhere is not taken for the user's own.
 */
export class KnownFiles {
  constructor(private _storage: Draft.IStorage) {}

  /** Whether this browser made the file. */
  isMade(chatId: string, path: string): boolean {
    return this._read(chatId, path).made;
  }

  /** This browser has made the file. */
  make(chatId: string, path: string): void {
    this._write(chatId, path, { ...this._read(chatId, path), made: true });
  }

  /** What the user answered for the file. */
  agreement(chatId: string, path: string): IAgreement {
    return this._read(chatId, path);
  }

  /** The user lets the file's requests use these too. */
  agree(chatId: string, path: string, more: Partial<IAgreement>): void {
    const known = this._read(chatId, path);
    const join = (old: readonly string[], added: readonly string[] = []) =>
      [...new Set([...added, ...old])].slice(0, KEPT);
    this._write(chatId, path, {
      ...known,
      models: join(known.models, more.models),
      options: join(known.options, more.options)
    });
  }

  /** The file has another name. */
  move(chatId: string, from: string, to: string): void {
    if (
      from !== to &&
      this.copy({ chatId, path: from }, { chatId, path: to })
    ) {
      this._forget(chatId, from);
    }
  }

  /** The chat in the file has another id. */
  rename(from: string, to: string, path: string): void {
    if (
      from !== to &&
      this.copy({ chatId: from, path }, { chatId: to, path })
    ) {
      this._forget(from, path);
    }
  }

  /** What is known of a file holds for another too; returns whether anything is. */
  copy(from: IFilePlace, to: IFilePlace): boolean {
    const entry = this._read(from.chatId, from.path);
    if (entry === NOTHING) {
      return false;
    }
    this._write(to.chatId, to.path, entry);
    return true;
  }

  private _read(chatId: string, path: string): IEntry {
    const key = keyOf(chatId, path);
    const kept = this._unkept.get(key) ?? parse(this._storage.getItem(key));
    return kept ?? NOTHING;
  }

  private _write(chatId: string, path: string, entry: IEntry): void {
    const key = keyOf(chatId, path);
    try {
      this._storage.setItem(key, JSON.stringify(entry));
      this._unkept.delete(key);
    } catch (error) {
      // The user is not asked the same again in this page.
      this._unkept.set(key, entry);
      console.warn('Turnbook: what is known of a file is not kept', error);
    }
  }

  private _forget(chatId: string, path: string): void {
    const key = keyOf(chatId, path);
    this._unkept.delete(key);
    this._storage.removeItem(key);
  }

  private _unkept = new Map<string, IEntry>();
}

/** Where a chat is. */
export interface IFilePlace {
  chatId: string;
  path: string;
}

/** Some pages begin a path at the root with a slash. */
function keyOf(chatId: string, path: string): string {
  return `${PREFIX}${chatId}:${path.replace(/^\/+/, '')}`;
}

/** An entry as it was kept; null if there is none that can be read. */
function parse(text: string | null): IEntry | null {
  let value: unknown;
  try {
    value = text === null ? null : JSON.parse(text);
  } catch (error) {
    // Anything in the page may write there; whoever cannot be read has said nothing.
    console.warn('Turnbook: what was known of a file is unreadable', error);
  }
  return isObject(value)
    ? {
        made: value.made === true,
        models: stringsOf(value.models),
        options: stringsOf(value.options)
      }
    : null;
}

function stringsOf(value: unknown): string[] {
  return Array.isArray(value)
    ? value.filter((one): one is string => typeof one === 'string')
    : [];
}
