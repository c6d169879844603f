import type { ISharedNotebook, YNotebook } from '@jupyter/ydoc';
import type { ICell } from '@jupyterlab/nbformat';
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';

type Doc = YNotebook['ydoc'];
type Transaction = Parameters<Parameters<Doc['transact']>[0]>[0];

/** A shared type of Yjs, as far as its place in the document is concerned. */
interface IPlaced {
  _item: { parent: unknown } | null;
}

/** How many milliseconds of an idle period must be left to read another cell in it. */
const CELL_MS = 4;

/** Chats with fewer cells are read in a moment whenever they are saved. */
const LONG = 500;

/**
 * Let a notebook keep the JSON of its cells from one save to the next. JupyterLab 4.4 to 4.6, `@jupyter/ydoc` 3
 * and 4.
 *
 * JupyterLab makes the JSON of every cell with each save, in one go: in a chat of 10,000 pairs, nobody
 * can type meanwhile. Here, only that of changed cells is made again. Yjs says which types a
 * transaction has changed before it tells anyone else of them (`beforeObserverCalls`), so that nobody
 * can get what a cell was before; within a transaction, everything is made anew. The cells of a long
 * chat are read while the page is idle. No option and no upstream issue about it was found.
 */
export function keepCellJSON(notebook: ISharedNotebook): IDisposable {
  const shared = notebook as unknown as YNotebook;
  const doc = shared.ydoc;
  const kept = new WeakMap<object, ICell>();
  const made = shared.toJSON.bind(shared);

  const read = (cell: YNotebook['cells'][number]): ICell => {
    let json = kept.get(cell.ymodel);
    if (!json) {
      json = cell.toJSON() as ICell;
      kept.set(cell.ymodel, json);
    }
    return json;
  };
  const forget = ({ changed }: Transaction) => {
    for (const type of changed.keys()) {
      for (let at: unknown = type; at; at = (at as IPlaced)._item?.parent) {
        kept.delete(at as object);
      }
    }
  };
  doc.on('beforeObserverCalls', forget);

  shared.toJSON = () => {
    if (doc._transaction) {
      return made();
    }
    // Whoever gets it may change it.
    const cells = shared.cells.map(cell => ({
      toJSON: () => {
        const json = read(cell);
        return { ...json, metadata: { ...json.metadata } };
      }
    }));
    const same = Object.create(shared, { cells: { value: cells } });
    return Object.getPrototypeOf(shared).toJSON.call(same);
  };

  let idle = 0;
  let isLeft = false;
  const readSome = (deadline: IdleDeadline) => {
    idle = 0;
    const { cells } = shared;
    let at = cells.findIndex(cell => !kept.has(cell.ymodel));
    while (at >= 0 && at < cells.length) {
      if (deadline.timeRemaining() < CELL_MS) {
        readSoon();
        return;
      }
      read(cells[at++]);
    }
  };
  const readSoon = () => {
    const canWait = typeof requestIdleCallback === 'function';
    if (canWait && !isLeft && !idle && shared.cells.length >= LONG) {
      idle = requestIdleCallback(readSome);
    }
  };
  shared.changed.connect(readSoon);
  readSoon();
  return new DisposableDelegate(() => {
    isLeft = true;
    if (idle) {
      cancelIdleCallback(idle);
    }
    shared.changed.disconnect(readSoon);
    doc.off('beforeObserverCalls', forget);
    shared.toJSON = made;
  });
}
