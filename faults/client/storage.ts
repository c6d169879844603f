import type { IRequestStorage } from '../../src/base/storage';

/** What a browser keeps for a page. */
export class MemoryStorage {
  readonly items = new Map<string, string>();

  get length(): number {
    return this.items.size;
  }

  key(index: number): string | null {
    return [...this.items.keys()][index] ?? null;
  }

  getItem(key: string): string | null {
    return this.items.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    this.items.set(key, value);
  }

  removeItem(key: string): void {
    this.items.delete(key);
  }

  /** Where edits of requests are kept. */
  readonly requests: IRequestStorage = {
    get: async key => this._requests.get(key),
    set: async (key, value) => void this._requests.set(key, value),
    del: async key => void this._requests.delete(key)
  };

  private readonly _requests = new Map<string, unknown>();
}
