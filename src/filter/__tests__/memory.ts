import type { IFilterStore } from '../store';

/** A store in memory that can be full. */
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
