import type { IFilterStore } from '../store';

/** An in-memory store that can be full. */
export class MemoryStore implements IFilterStore {
  get = (key: string) => this.items.get(key) ?? null;
  set = (key: string, value: string) => {
    if (this.full) {
      throw new Error('QuotaExceededError');
    }
    this.items.set(key, value);
  };
  full = false;
  items = new Map<string, string>();
}
