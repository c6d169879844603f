/** Moving cells: their order is an undo step, and nothing else of them. */
import type {
  ISharedCell,
  ISharedCodeCell,
  ISharedNotebook,
  YNotebook
} from '@jupyter/ydoc';
import type { ICodeCell } from '@jupyterlab/nbformat';
import { JSONExt } from '@lumino/coreutils';

import { isLocked } from './lock';

/** The ids of the cells in the order that a move would give them. */
export function orderAfter(
  all: readonly string[],
  moved: readonly string[],
  before: string | null
): string[] {
  const rest = all.filter(id => !moved.includes(id));
  const place = before === null ? rest.length : rest.indexOf(before);
  return [...rest.slice(0, place), ...moved, ...rest.slice(place)];
}

/** Whether a move leaves the locked cells of a replay where they are. */
export function keepsLocked(
  notebook: ISharedNotebook,
  moved: readonly string[],
  before: string | null
): boolean {
  const { cells } = notebook;
  const order = orderAfter(
    cells.map(cell => cell.getId()),
    moved,
    before
  );
  return cells.every(
    (cell, index) => !isLocked(notebook, cell) || order[index] === cell.getId()
  );
}

/**
 * Move cells in front of another one, as one step of undo.
 *
 * @param moved - Their ids, in order.
 * @param before - The id of a cell that is not moved; null for the end.
 */
export function moveCells(
  notebook: ISharedNotebook,
  moved: readonly string[],
  before: string | null
): void {
  const { undoManager } = notebook as Partial<YNotebook>;
  undoManager?.stopCapturing();
  for (const id of moved) {
    const from = indexOf(notebook, id);
    const end =
      before === null ? notebook.cells.length : indexOf(notebook, before);
    const to = from < end ? end - 1 : end;
    if (to !== from) {
      notebook.moveCell(from, to);
    }
  }
  undoManager?.stopCapturing();
  const known = MOVED.get(notebook) ?? new Set();
  moved.forEach(id => known.add(id));
  MOVED.set(notebook, known);
}

/**
 * Undo or redo.
 *
 * A cell is moved by making it again, so undoing a move brings back the cell as it was then. What
 * was sent, received or marked since must stay.
 */
export function undoKeeping(notebook: ISharedNotebook, undo: () => void): void {
  const before = [...(MOVED.get(notebook) ?? [])].flatMap(id => {
    const cell = notebook.cells[indexOf(notebook, id)];
    return cell ? [{ id, cell, content: cell.toJSON() }] : [];
  });
  undo();
  notebook.transact(() => {
    for (const { id, cell, content } of before) {
      const now = notebook.cells[indexOf(notebook, id)];
      const isOther = now && now !== cell;
      if (isOther && now.cell_type === content.cell_type) {
        // Writing what is there would end the undo steps of that cell.
        if (!JSONExt.deepEqual(now.toJSON() as never, content as never)) {
          write(now, content as ICodeCell);
        }
      }
    }
  }, false);
}

/** The cells that were moved since the notebook was opened. */
const MOVED = new WeakMap<ISharedNotebook, Set<string>>();

function write(cell: ISharedCell, content: ICodeCell): void {
  const { metadata, source } = content;
  cell.setSource(Array.isArray(source) ? source.join('') : source);
  cell.setMetadata(metadata);
  if (cell.cell_type === 'code') {
    (cell as ISharedCodeCell).setOutputs(content.outputs);
  }
}

function indexOf(notebook: ISharedNotebook, id: string): number {
  return notebook.cells.findIndex(cell => cell.getId() === id);
}
