import { YFile } from '@jupyter/ydoc';
import { ServerConnection, type Contents } from '@jupyterlab/services';
import { nullTranslator } from '@jupyterlab/translation';

import { TextFiles } from '../textfiles';

const trans = nullTranslator.load('');

/** Files in memory, of which some are open. */
function setUp(
  texts: Record<string, string>,
  open: Record<string, YFile> = {},
  dirty: readonly string[] = []
) {
  const disk = new Map(Object.entries(texts));
  const gets: string[] = [];
  const sizes: Record<string, number> = {};
  let refused = '';
  const contents = {
    get: async (path: string, options?: Contents.IFetchOptions) => {
      const text = disk.get(path);
      if (text === undefined) {
        throw new ServerConnection.ResponseError({ status: 404 } as Response);
      }
      if (options?.content === false) {
        return { size: sizes[path] ?? text.length } as Contents.IModel;
      }
      gets.push(path);
      return { content: text } as Contents.IModel;
    },
    save: async (path: string, { content }: Partial<Contents.IModel> = {}) => {
      if (path === refused) {
        throw new Error('The disk is full.');
      }
      disk.set(path, content);
      return {} as Contents.IModel;
    }
  };
  const documents = {
    findWidget: (path: string) => (open[path] ? ({ path } as any) : undefined),
    contextForWidget: ({ path }: any) =>
      ({
        ready: Promise.resolve(),
        model: { sharedModel: open[path], dirty: dirty.includes(path) },
        save: async () => void disk.set(path, open[path].getSource())
      }) as any,
    deleteFile: async (path: string) => {
      disk.delete(path);
      delete open[path];
    }
  };
  const kindOf = async (path: string) =>
    path.startsWith('link/') ? ('outside' as const) : ('file' as const);
  const files = new TextFiles({ contents, documents, kindOf, trans });
  const refuse = (path: string) => {
    refused = path;
  };
  return { files, disk, gets, sizes, refuse };
}

const opened = (text: string) => {
  const shared = YFile.create();
  shared.setSource(text);
  shared.clearUndoHistory();
  return shared;
};

describe('text files', () => {
  it('are not loaded if they are too long to be compared', async () => {
    const { files, gets, sizes } = setUp({ 'long.csv': '', a: '1' });
    sizes['long.csv'] = 2_000_000_000;
    await expect(files.read('long.csv')).rejects.toThrow('too long');
    expect(await files.read('a')).toEqual({ text: '1', isOpen: false });
    expect(await files.read('none')).toBeNull();
    expect(gets).toEqual(['a']);
  });
});

describe('changes to text files', () => {
  it('are written and undone, also of new files', async () => {
    const { files, disk } = setUp({ a: '1' });
    const undo = await files.change([
      { path: 'a', before: '1', after: '2' },
      { path: 'new', before: null, after: 'x' }
    ]);
    expect([...disk]).toEqual([
      ['a', '2'],
      ['new', 'x']
    ]);
    await undo();
    expect([...disk]).toEqual([['a', '1']]);
  });

  it('are made in the editor of an open file, as one step of undo', async () => {
    const shared = opened('one\ntwo\nthree\n');
    const { files, disk } = setUp({ a: 'saved' }, { a: shared });
    expect(await files.read('a')).toEqual({
      text: 'one\ntwo\nthree\n',
      isOpen: true
    });
    const before = 'one\ntwo\nthree\n';
    const undo = await files.change([
      { path: 'a', before, after: 'one\nzwei\nthree\nfour\n' }
    ]);
    expect(shared.getSource()).toBe('one\nzwei\nthree\nfour\n');
    expect(disk.get('a')).toBe('saved');
    shared.undo();
    expect(shared.getSource()).toBe(before);
    shared.redo();
    await undo();
    expect(shared.getSource()).toBe(before);
  });

  it('are not made where a link leads out of the folder, also of new files', async () => {
    const { files, disk } = setUp({ 'a.txt': '1', 'link/b.txt': '1' });
    const changes = ['1', null].map((before, n) => [
      { path: 'a.txt', before: '1', after: '2' },
      { path: `link/${n ? 'new' : 'b'}.txt`, before, after: '2' }
    ]);
    for (const change of changes) {
      await expect(files.change(change)).rejects.toThrow('leads out of');
    }
    expect([...disk]).toEqual([
      ['a.txt', '1'],
      ['link/b.txt', '1']
    ]);
  });

  it('are not made if one of the files is another by now', async () => {
    const { files, disk } = setUp({ a: '1', b: '2' });
    await expect(
      files.change([
        { path: 'a', before: '1', after: 'x' },
        { path: 'b', before: '1', after: 'x' }
      ])
    ).rejects.toThrow('changed meanwhile');
    await expect(
      files.change([{ path: 'a', before: null, after: 'x' }])
    ).rejects.toThrow('changed meanwhile');
    expect([...disk]).toEqual([
      ['a', '1'],
      ['b', '2']
    ]);
  });

  it('are taken back if a later one fails', async () => {
    const { files, disk, refuse } = setUp({ a: '1', b: '2' });
    refuse('b');
    await expect(
      files.change([
        { path: 'a', before: '1', after: 'x' },
        { path: 'b', before: '2', after: 'x' }
      ])
    ).rejects.toThrow('disk is full');
    expect([...disk]).toEqual([
      ['a', '1'],
      ['b', '2']
    ]);
  });

  it('are undone in the editor of a file that was opened since, and saved', async () => {
    const open: Record<string, YFile> = {};
    const { files, disk } = setUp({ a: '1', b: '1' }, open, ['b']);
    const undo = await files.change([
      { path: 'a', before: '1', after: '2\r\n' },
      { path: 'b', before: '1', after: '2' },
      { path: 'new', before: null, after: 'x' }
    ]);
    Object.assign(open, { a: opened('2\n'), b: opened('2'), new: opened('x') });
    const { a, b } = open;
    await undo();
    expect([a.getSource(), b.getSource()]).toEqual(['1', '1']);
    // What the user did not save is not saved for them.
    expect([...disk]).toEqual([
      ['a', '1'],
      ['b', '2']
    ]);
    expect(Object.keys(open)).toEqual(['a', 'b']);
  });

  it('are undone on the disk if the editor was closed since', async () => {
    const open: Record<string, YFile> = { a: opened('1') };
    const { files, disk } = setUp({ a: '1' }, open);
    const undo = await files.change([{ path: 'a', before: '1', after: '2' }]);
    disk.set('a', '2');
    open.a.dispose();
    delete open.a;
    await undo();
    expect(disk.get('a')).toBe('1');
  });

  it('are undone in all files or in none', async () => {
    const open = { c: opened('1') };
    const { files, disk } = setUp({ a: '1', b: '1', c: '1' }, open);
    const changes = ['a', 'b', 'c'].map(path => ({
      path,
      before: '1',
      after: '2'
    }));
    const undo = await files.change(changes);
    disk.set('a', '3');
    await expect(undo()).rejects.toThrow('was changed meanwhile');
    expect([...disk.values(), open.c.getSource()]).toEqual([
      '3',
      '2',
      '1',
      '2'
    ]);
  });

  it('are not undone over what was written since', async () => {
    const { files, disk } = setUp({ a: '1' });
    const undo = await files.change([{ path: 'a', before: '1', after: '2' }]);
    disk.set('a', '3');
    await expect(undo()).rejects.toThrow('changed meanwhile');
    expect(disk.get('a')).toBe('3');
  });
});
