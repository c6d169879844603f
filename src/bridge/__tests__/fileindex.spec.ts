import { FileIndex } from '../fileindex';
import { FileProvider } from '../fileprovider';

/** A server with these files; a name that ends in `/` is an empty folder. */
function server(...paths: string[]) {
  const asked: string[] = [];
  const get = async (folder: string) => {
    asked.push(folder);
    const start = folder ? `${folder}/` : '';
    const names = new Set(
      paths
        .filter(path => path.startsWith(start))
        .map(path => path.slice(start.length).split('/')[0])
        .filter(Boolean)
    );
    if (!names.size) {
      throw new Error(`no folder ${folder}`);
    }
    return {
      type: 'directory',
      content: [...names].map(name => ({
        name,
        path: start + name,
        type: paths.includes(start + name) ? 'file' : 'directory'
      }))
    };
  };
  return { contents: { get } as never, asked };
}

const listed = (index: FileIndex) => index.files.map(({ path }) => path).sort();
const signal = new AbortController().signal;

describe('FileIndex', () => {
  const debug = jest.spyOn(console, 'debug').mockReturnValue();
  afterAll(() => debug.mockRestore());

  it('lists all folders, without hidden ones and those that tools fill', async () => {
    const { contents } = server(
      'a.py',
      'data/b.csv',
      'data/deep/c.csv',
      '.env',
      '.git/config',
      'node_modules/x/index.js'
    );
    const index = new FileIndex(contents);
    await index.list([], signal);
    expect(listed(index)).toEqual(['a.py', 'data/b.csv', 'data/deep/c.csv']);
  });

  it('lists a folder once, and again when that was long ago', async () => {
    const { contents, asked } = server('a.py', 'data/b.csv');
    let now = 0;
    const index = new FileIndex(contents, () => now);
    await index.list([], signal);
    await index.list(['data'], signal);
    expect(asked).toEqual(['', 'data']);
    now = 5_000;
    await index.list([], signal);
    expect(asked).toHaveLength(2);
    // A new search sees new files.
    await index.list([], signal, true);
    expect(asked).toEqual(['', 'data', '', 'data']);
    expect(listed(index)).toEqual(['a.py', 'data/b.csv']);
  });

  it('stops when nobody needs it, and goes on from there', async () => {
    const { contents, asked } = server('a/1', 'b/2', 'c/3');
    const index = new FileIndex(contents);
    await index.list([], AbortSignal.abort());
    expect(asked).toEqual([]);
    await index.list([], signal);
    expect(listed(index)).toEqual(['a/1', 'b/2', 'c/3']);
  });

  it('goes on with what an earlier key began to list', async () => {
    const { contents } = server('a/1', 'b/deep/2');
    const index = new FileIndex(contents);
    const first = new AbortController();
    const begun = index.list([], first.signal);
    first.abort();
    await Promise.all([begun, index.list([], signal)]);
    expect(listed(index)).toEqual(['a/1', 'b/deep/2']);
  });

  it('has each file once, also if a search begins while another one lists', async () => {
    const { contents } = server('a/1', 'b/2');
    let now = 0;
    const index = new FileIndex(contents, () => now);
    const begun = index.list([], signal);
    now = 5_000;
    await Promise.all([begun, index.list([], signal, true)]);
    expect(listed(index)).toEqual(['a/1', 'b/2']);
  });

  it('lists the folder that the user names first, also if it does not exist', async () => {
    const { contents, asked } = server('a/1', 'z/2');
    const index = new FileIndex(contents);
    await index.list(['z', 'nowhere'], signal);
    expect(asked.slice(0, 2)).toEqual(['z', 'nowhere']);
    expect(listed(index)).toEqual(['a/1', 'z/2']);
  });

  it('lists a folder again in which a file was being written', async () => {
    const { contents } = server('a/1', 'b/2');
    const { get } = contents as { get: (path: string) => Promise<unknown> };
    let times = 0;
    const once = async (path: string) => {
      if (path === 'a' && !times++) {
        throw new Error('gone');
      }
      return get(path);
    };
    const index = new FileIndex({ get: once } as never);
    await index.list([], signal);
    expect(listed(index)).toEqual(['a/1', 'b/2']);
  });

  it('does not list a huge tree', async () => {
    const many = Array.from({ length: 1000 }, (_, n) => `d${n}/f`);
    const { contents, asked } = server(...many);
    await new FileIndex(contents).list([], signal);
    expect(asked.length).toBeLessThan(250);
  });

  it('lists the folders that the user names also then, as many as somebody types', async () => {
    const many = Array.from({ length: 1000 }, (_, n) => `d${n}/f`);
    const { contents, asked } = server(...many);
    const index = new FileIndex(contents, () => 0);
    await index.list([], signal);
    await index.list(['d999'], signal);
    expect(listed(index)).toContain('d999/f');
    const before = asked.length;
    await index.list(['d999', 'd998'], signal);
    expect(asked.slice(before)).toEqual(['d998']);
    for (let n = 0; n < 1000; n++) {
      await index.list([`d${n}`], signal);
    }
    expect(asked.length).toBeLessThan(450);
  });
});

describe('FileProvider', () => {
  it('lists a folder as soon as its name has its slash', async () => {
    const { contents, asked } = server('t/one.csv', 'u/two.csv');
    const provider = new FileProvider({ contents, api: {} as never });
    const found = await provider.find('u/', 8, signal);
    expect(asked[0]).toBe('u');
    expect(found.map(({ label }) => label)).toEqual(['two.csv']);
  });

  it('finds files as they are typed, however slow the server is, and says when there are more', async () => {
    const { contents, asked } = server('t/one.csv', 'u/deep/one.py');
    const { get } = contents as { get: (path: string) => Promise<unknown> };
    let open: () => void = () => undefined;
    const gate = new Promise<void>(resolve => (open = resolve));
    const slow = async (path: string) => {
      await (path === 'u' ? gate : undefined);
      return get(path);
    };
    const provider = new FileProvider({
      contents: { get: slow } as never,
      api: {} as never
    });
    const find = (query: string, aborter: AbortController) =>
      provider.find(query, 8, aborter.signal);
    const keys = ['', 'o', 'on'].map(query => {
      const aborter = new AbortController();
      void find(query, aborter);
      return aborter;
    });
    keys.forEach(aborter => aborter.abort());
    const last = new AbortController();
    const more = new Promise<void>(resolve =>
      provider.changed.connect(() => resolve())
    );
    const labels = async () =>
      (await find('one', last)).map(({ label }) => label);
    expect(await labels()).toEqual(['one.csv']);
    open();
    await more;
    expect(await labels()).toEqual(['one.csv', 'one.py']);
    expect(asked).toContain('u/deep');
  });
});
