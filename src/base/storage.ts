import { createStore, del, get, set } from 'idb-keyval';

/** Browser storage for unsent edits, which are not in the notebook. */
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
