import 'fake-indexeddb/auto';

import type { IKept } from '../store';
import { BrowserStore } from '../store';
import { built, edited, section } from '../../__tests__/requests';

const kept = (text: string): IKept => ({
  origin: { chatId: 'c', pair: text, name: 'c', path: 'c', turn: 1 },
  built: {
    replay: built(edited([section({ role: 'user', content: text })])),
    originals: {},
    before: null
  }
});

describe('the browser’s store', () => {
  it('stores nothing unless it is enabled', async () => {
    const store = new BrowserStore();
    store.put('a', kept('a'));
    expect(await store.all()).toEqual([]);
    // Not even a database.
    expect(await indexedDB.databases()).toEqual([]);
  });

  it('stores what is put, and deletes it when it is disabled', async () => {
    const store = new BrowserStore();
    store.enabled = true;
    store.put('a', kept('a'));
    store.put('b', kept('b'));
    store.remove('a');
    expect(await store.all()).toEqual([kept('b')]);
    const next = new BrowserStore();
    next.enabled = true;
    expect(await next.all()).toEqual([kept('b')]);
    next.enabled = false;
    const last = new BrowserStore();
    await next.all();
    last.enabled = true;
    expect(await last.all()).toEqual([]);
  });
});
