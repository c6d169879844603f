import { isObject } from '../base/json';
import type { Draft } from './draft';

const PREFIX = 'turnbook:file:';

/** How many answers of one kind are stored for a file: more than a question can be about. */
const KEPT = 100;

/** What the user allows a file's requests to use. */
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
 * What this browser knows about chat files: which ones it created, and the user's answers about
 * others.
 *
 * A file can claim anything, so this is stored in the browser, by the chat's id and the file's
 * path: a file from elsewhere is never taken for the user's own.
 */
export class KnownFiles {
  constructor(private _storage: Draft.IStorage) {}

  /** Whether this browser created the file. */
  isMade(chatId: string, path: string): boolean {
    return this._read(chatId, path).made;
  }

  /** Record that this browser created the file. */
  make(chatId: string, path: string): void {
    this._write(chatId, path, { ...this._read(chatId, path), made: true });
  }

  /** What the user allowed for the file. */
  agreement(chatId: string, path: string): IAgreement {
    return this._read(chatId, path);
  }

  /** Record that the user allows these too. */
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

  /** Record that the file was renamed. */
  move(chatId: string, from: string, to: string): void {
    if (
      from !== to &&
      this.copy({ chatId, path: from }, { chatId, path: to })
    ) {
      this._forget(chatId, from);
    }
  }

  /** Record that the chat in the file has another id. */
  rename(from: string, to: string, path: string): void {
    if (
      from !== to &&
      this.copy({ chatId: from, path }, { chatId: to, path })
    ) {
      this._forget(from, path);
    }
  }

  /** Apply what is known about a file to another one; return whether anything is known. */
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
      // Do not ask the user again in this page.
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

/** The chat and path of a file. */
export interface IFilePlace {
  chatId: string;
  path: string;
}

/** Some pages start a path at the root with a slash. */
function keyOf(chatId: string, path: string): string {
  return `${PREFIX}${chatId}:${path.replace(/^\/+/, '')}`;
}

/** Parse a stored entry; null if there is none or it is invalid. */
function parse(text: string | null): IEntry | null {
  let value: unknown;
  try {
    value = text === null ? null : JSON.parse(text);
  } catch (error) {
    // Anything in the page may write there; an unreadable entry is ignored.
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
