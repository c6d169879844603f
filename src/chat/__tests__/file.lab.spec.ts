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
    most: 0
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
    save: async () => {
      const asks = context.contentsModel.hash !== disk.hash;
      done.push(asks ? 'asked' : 'saved');
      disk.most = Math.max(disk.most, ++disk.saves);
      await Promise.resolve();
      disk.saves--;
      if (disk.full) {
        throw new Error('The disk is full');
      }
      disk.hash += '+';
      context.contentsModel = { hash: disk.hash };
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
  const contents: any = { get: async () => ({ hash: disk.hash }) };
  const file = new ChatFile({ context, contents, isAutosaved: () => true });
  const notebook = model.sharedModel;
  const write = (...cells: string[]) => {
    Object.assign(disk, { hash: `${disk.hash}!`, cells });
  };
  const mark = () => notebook.getCell(0).setMetadata('turnbook', { star: 1 });
  const sources = () => notebook.cells.map(cell => cell.getSource());
  return { context, disk, done, file, mark, notebook, ready, sources, write };
}

async function opened() {
  const all = setUp();
  all.ready.resolve();
  await all.ready.promise;
  return all;
}

describe('ChatFile', () => {
  it('saves what nobody else wrote, without reading it', async () => {
    const { context, done, mark } = await opened();
    await context.save();
    mark();
    await context.save();
    expect(done).toEqual(['saved', 'saved']);
  });

  it('takes what another tab wrote, and has its own changes made again', async () => {
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

  it('lets JupyterLab ask when another view may have changed the document', async () => {
    const { context, done, write } = setUp({ isReady: true });
    write('theirs');
    await context.save();
    expect(done).toEqual(['asked']);
  });

  it('goes on to save when the file cannot be read', async () => {
    const { context, disk, done, write } = await opened();
    write('theirs');
    disk.broken = true;
    const warn = jest.spyOn(console, 'warn').mockReturnValue();
    await context.save();
    expect(done).toEqual(['read', 'asked']);
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  });

  it('saves one after another, and a failure stops none', async () => {
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
