import { createStore, del, get, set } from 'idb-keyval';

/** A database of the browser that keeps what is not in the notebook: unsent edits. */
export interface IRequestStorage {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
  del(key: string): Promise<void>;
}

/** The browser's own database. */
export function browserStorage(): IRequestStorage {
  const store = createStore('turnbook-requests', 'requests');
  return {
    get: key => get(key, store),
    set: (key, value) => set(key, value, store),
    del: key => del(key, store)
  };
}
