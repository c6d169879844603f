import type { YNotebook } from '@jupyter/ydoc';
import { NotebookModel } from '@jupyterlab/notebook';
import { PromiseDelegate } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';

import { ChatFile } from '../file';

/** A file on a disk that others write too, and a document of it. */
function setUp({ isReady = false } = {}) {
  const model = new NotebookModel();
  const disk = {
    hash: 'one',
    cells: ['first'],
    broken: false,
    full: false,
    /** The saves under way, and the most at one time. */
    saves: 0,
    most: 0,
    /** What was written last. */
    written: [] as string[],
    /** Until then a save takes. */
    writing: Promise.resolve()
  };
  const done: string[] = [];
  const load = () => {
    const nb = model.sharedModel as YNotebook;
    nb.fromJSON({
      cells: disk.cells.map(source => ({
        cell_type: 'raw' as const,
        id: source,
        source,
        metadata: {}
      })),
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5
    });
    context.contentsModel = { hash: disk.hash };
  };
  const ready = new PromiseDelegate<void>();
  const context: any = {
    model,
    path: 'a.chat.ipynb',
    contentsModel: null,
    isReady,
    ready: ready.promise,
    disposed: new Signal<object, void>({}),
    saveState: new Signal<object, string>({}),
    save: async () => {
      await Promise.resolve();
      context.saveState.emit('started');
      const asks = context.contentsModel.hash !== disk.hash;
      done.push(asks ? 'asked' : 'saved');
      disk.most = Math.max(disk.most, ++disk.saves);
      disk.written = sources();
      await disk.writing;
      disk.saves--;
      if (disk.full) {
        throw new Error('The disk is full');
      }
      disk.hash += '+';
      context.contentsModel = { hash: disk.hash };
    },
    rename: async (name: string) => {
      done.push(`renamed to ${name} during ${disk.saves} saves`);
    },
    revert: async () => {
      done.push('read');
      if (disk.broken) {
        throw new Error('Not a notebook');
      }
      load();
    }
  };
  load();
  const looked = { at: Promise.resolve() };
  const contents: any = {
    get: async () => {
      await looked.at;
      return { hash: disk.hash };
    }
  };
  const isAutosaved = jest.fn(() => true);
  const file = new ChatFile({ context, contents, isAutosaved });
  const notebook = model.sharedModel;
  const write = (...cells: string[]) => {
    Object.assign(disk, { hash: `${disk.hash}!`, cells });
  };
  const mark = () => notebook.getCell(0).setMetadata('turnbook', { star: 1 });
  const sources = () => notebook.cells.map(cell => cell.getSource());
  return {
    context,
    disk,
    done,
    file,
    isAutosaved,
    looked,
    mark,
    notebook,
    ready,
    sources,
    write
  };
}

async function opened() {
  const all = setUp();
  all.ready.resolve();
  await all.ready.promise;
  return all;
}

describe('ChatFile', () => {
  it('saves a file that no one else wrote, without reading it', async () => {
    const { context, done, mark } = await opened();
    await context.save();
    mark();
    await context.save();
    expect(done).toEqual(['saved', 'saved']);
  });

  it('renames the file after the save that is under way', async () => {
    const { context, disk, done, mark } = await opened();
    const written = new PromiseDelegate<void>();
    disk.writing = written.promise;
    mark();
    const saving = context.save();
    const renaming = context.rename('b');
    while (!disk.saves) {
      await Promise.resolve();
    }
    written.resolve();
    await Promise.all([saving, renaming]);
    expect(done).toEqual(['saved', 'renamed to b during 0 saves']);
    await context.save();
    expect(done.at(-1)).toBe('saved');
  });

  it('reads what another tab wrote, and repeats its own changes', async () => {
    const { context, done, file, notebook, sources, write } = await opened();
    const add = () =>
      void notebook.addCell({ cell_type: 'raw', source: 'reply' });
    file.reread.connect(() => file.repeatable(add));
    file.repeatable(add);
    write('first', 'theirs');
    await context.save();
    expect(done).toEqual(['read', 'saved']);
    expect(sources()).toEqual(['first', 'theirs', 'reply']);
    notebook.undo();
    expect(sources()).toContain('theirs');
  });

  it('lets JupyterLab ask when a mark would be lost', async () => {
    const { context, done, file, mark, notebook, write } = await opened();
    mark();
    file.repeatable(() => undefined);
    write('theirs');
    await context.save();
    expect(done).toEqual(['asked']);
    expect(notebook.getCell(0).getMetadata('turnbook')).toEqual({ star: 1 });
  });

  it('lets JupyterLab ask when a mark was made while the file was checked', async () => {
    const { context, done, looked, mark, notebook, write } = await opened();
    const look = new PromiseDelegate<void>();
    looked.at = look.promise;
    write('theirs');
    const saving = context.save();
    await Promise.resolve();
    mark();
    look.resolve();
    await saving;
    expect(done).toEqual(['asked']);
    expect(notebook.getCell(0).getMetadata('turnbook')).toEqual({ star: 1 });
  });

  it('lets JupyterLab ask when a mark was made during the save before', async () => {
    const { context, disk, done, mark, notebook, write } = await opened();
    const writing = new PromiseDelegate<void>();
    disk.writing = writing.promise;
    const saving = context.save();
    while (!disk.saves) {
      await Promise.resolve();
    }
    mark();
    writing.resolve();
    await saving;
    write('theirs');
    await context.save();
    expect(done).toEqual(['saved', 'asked']);
    expect(notebook.getCell(0).getMetadata('turnbook')).toEqual({ star: 1 });
  });

  it('reads the file of others again once its own changes are saved', async () => {
    const { context, done, mark, write } = await opened();
    mark();
    await context.save();
    write('theirs');
    await context.save();
    expect(done).toEqual(['saved', 'read', 'saved']);
  });

  it('puts what is visible into the document before it is written', async () => {
    const { context, disk, done, file, notebook, write } = await opened();
    file.saving.connect(() =>
      file.repeatable(() => {
        if (notebook.cells.length === 1) {
          notebook.addCell({ cell_type: 'raw', source: 'reply' });
        }
      })
    );
    await context.save();
    expect(disk.written).toEqual(['first', 'reply']);
    // And counts as saved with the rest.
    write('theirs');
    await context.save();
    expect(done).toEqual(['saved', 'read', 'saved']);
  });

  it('autosaves only if JupyterLab does, and once more for what came meanwhile', async () => {
    const { context, disk, done, file, isAutosaved } = await opened();
    isAutosaved.mockReturnValue(false);
    file.autosave();
    await new Promise(resolve => setTimeout(resolve));
    expect(done).toEqual([]);
    isAutosaved.mockReturnValue(true);
    const writing = new PromiseDelegate<void>();
    disk.writing = writing.promise;
    file.autosave();
    while (!disk.saves) {
      await Promise.resolve();
    }
    file.autosave();
    file.autosave();
    writing.resolve();
    await new Promise(resolve => setTimeout(resolve));
    await context.save();
    expect(done).toEqual(['saved', 'saved', 'saved']);
  });

  it('lets JupyterLab ask when another view may have changed the document', async () => {
    const { context, done, write } = setUp({ isReady: true });
    write('theirs');
    await context.save();
    expect(done).toEqual(['asked']);
  });

  it('saves even if the file cannot be read', async () => {
    const { context, disk, done, write } = await opened();
    write('theirs');
    disk.broken = true;
    const warn = jest.spyOn(console, 'warn').mockReturnValue();
    await context.save();
    expect(done).toEqual(['read', 'asked']);
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  });

  it('queues saves, and a failure stops none', async () => {
    const { context, disk, done } = await opened();
    disk.full = true;
    const first = context.save();
    const second = context.save();
    await expect(first).rejects.toThrow('The disk is full');
    disk.full = false;
    await second;
    expect(done).toEqual(['saved', 'saved']);
    expect(disk.most).toBe(1);
  });

  it('writes nothing more once the chat is closed', async () => {
    const { context, done } = await opened();
    const saves = [context.save(), context.save()];
    context.isDisposed = true;
    await Promise.all(saves);
    expect(done).toEqual([]);
  });
});
