import type { IRequestStorage } from '../../src/base/storage';

/** What a browser keeps for a page. */
export class MemoryStorage {
  get length(): number {
    return this._items.size;
  }

  key(index: number): string | null {
    return [...this._items.keys()][index] ?? null;
  }

  getItem(key: string): string | null {
    return this._items.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    this._items.set(key, value);
  }

  removeItem(key: string): void {
    this._items.delete(key);
  }

  /** Where edits of requests are kept. */
  readonly requests: IRequestStorage = {
    get: async key => this._requests.get(key),
    set: async (key, value) => void this._requests.set(key, value),
    del: async key => void this._requests.delete(key)
  };

  private readonly _items = new Map<string, string>();
  private readonly _requests = new Map<string, unknown>();
}
