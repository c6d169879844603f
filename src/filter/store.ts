/** Storage for filters across sessions; in practice the browser's `localStorage`. */
export interface IFilterStore {
  get(key: string): string | null;
  set(key: string, value: string): void;
}

/** A filter with a name. */
export interface ISavedFilter {
  name: string;
  text: string;
}

/** How many queries the history holds. */
export const MAX_HISTORY = 50;

const HISTORY = 'turnbook:filter:history';
const SAVED = 'turnbook:filter:saved';

/**
 * The history of valid queries and the saved filters.
 *
 * Both are read from the store each time, because other tabs and chats write to it too.
 */
export class FilterShelf {
  constructor(store: IFilterStore) {
    this._store = store;
  }

  /** Valid queries, latest first. */
  get history(): string[] {
    return this._read(HISTORY, isString);
  }

  /** Saved filters by name. */
  get saved(): ISavedFilter[] {
    return this._read(SAVED, isSaved);
  }

  /** Put a valid query at the top of the history. */
  remember(text: string): void {
    const others = this.history.filter(other => other !== text);
    this._write(HISTORY, [text, ...others].slice(0, MAX_HISTORY));
  }

  /** Save a filter; it replaces one of the same name. */
  save(filter: ISavedFilter): void {
    const others = this.saved.filter(({ name }) => name !== filter.name);
    this._write(
      SAVED,
      [...others, filter].sort((a, b) => a.name.localeCompare(b.name))
    );
  }

  /** Delete a saved filter. */
  remove(name: string): void {
    this._write(
      SAVED,
      this.saved.filter(filter => filter.name !== name)
    );
  }

  private _read<T>(key: string, is: (value: unknown) => value is T): T[] {
    const stored = this._store.get(key);
    if (stored === null) {
      return [];
    }
    try {
      const value: unknown = JSON.parse(stored);
      if (Array.isArray(value)) {
        return value.filter(is);
      }
      console.warn(`Turnbook: ${key} has another form and is passed over`);
    } catch (error) {
      console.warn(`Turnbook: ${key} cannot be read and is passed over`, error);
    }
    return [];
  }

  private _write(key: string, value: unknown): void {
    this._store.set(key, JSON.stringify(value));
  }

  private _store: IFilterStore;
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isSaved(value: unknown): value is ISavedFilter {
  const { name, text } = (value ?? {}) as Partial<ISavedFilter>;
  return typeof name === 'string' && typeof text === 'string';
}
