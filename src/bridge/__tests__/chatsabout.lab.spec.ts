import { ServerConnection } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';

import { ChatsAbout } from '../chatsabout';
import { Pairings } from '../pairings';

class Storage {
  getItem = (key: string) => this._items.get(key) ?? null;
  setItem = (key: string, value: string) => void this._items.set(key, value);
  removeItem = (key: string) => void this._items.delete(key);
  private _items = new Map<string, string>();
}

/** A server with these files, and what finds the chats there. */
function about(...names: string[]) {
  const files = new Map<string, unknown>(names.map(name => [name, {}]));
  const owner = {};
  const later = () => new Promise(resolve => setTimeout(resolve));
  const contents = {
    fileChanged: new Signal(owner),
    driveName: () => 'RTC',
    localPath: (path: string) => path,
    newUntitled: async () => {
      await later();
      const path = `Untitled${files.size}.ipynb`;
      files.set(path, null);
      return { path };
    },
    save: async (path: string, { content }: { content: unknown }) => {
      await later();
      files.set(path, content);
    },
    rename: async (from: string, to: string) => {
      await later();
      if (files.has(to)) {
        const response = { status: 409, statusText: '' } as Response;
        throw new ServerConnection.ResponseError(response);
      }
      files.set(to, files.get(from));
      files.delete(from);
      return { path: to };
    },
    get: async (path: string) => ({ content: files.get(path) })
  };
  const storage = new Storage();
  const chats = new ChatsAbout({
    documents: { services: { contents } } as never,
    tracker: {
      widgetAdded: new Signal(owner),
      forEach: () => undefined,
      find: () => undefined
    } as never,
    pairings: new Pairings(storage),
    api: {
      checkFile: async (path: string) => {
        await later();
        return { kind: files.has(path) ? 'file' : 'missing' };
      }
    } as never,
    storage
  });
  return { chats, files };
}

describe('the chat about a notebook', () => {
  it('is made once, however often it is asked for at once', async () => {
    const { chats, files } = about('x.ipynb', 'y.ipynb');
    const paths = ['x.ipynb', 'x.ipynb', 'y.ipynb', 'x.ipynb'];
    expect(await Promise.all(paths.map(one => chats.pathOf(one)))).toEqual([
      'x.chat.ipynb',
      'x.chat.ipynb',
      'y.chat.ipynb',
      'x.chat.ipynb'
    ]);
    expect(files.size).toBe(4);
    expect(await chats.pathOf('x.ipynb')).toBe('x.chat.ipynb');
    // Deleted since.
    files.delete('x.chat.ipynb');
    expect(await chats.pathOf('x.ipynb')).toBe('x.chat.ipynb');
    expect(files.size).toBe(4);
  });
});
