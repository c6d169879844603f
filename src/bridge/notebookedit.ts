/** Changes to a notebook that is open, each one step of its undo. Nothing is run. */
import type { ISharedNotebook, YNotebook } from '@jupyter/ydoc';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { PartialJSONObject } from '@lumino/coreutils';

import { scrollToCell } from '../labpatch/editorscroll';
import { activateCell } from '../labpatch/notebookwork';

/** A cell to be written: text as data, without outputs and without trust. */
export interface INewCell {
  cell_type: 'code' | 'markdown';
  source: string;
  metadata: PartialJSONObject;
}

/** Something that was done in a notebook. */
export interface IDone {
  /** The place of the cell. */
  index: number;

  /** Undo it, unless something else was done since; returns whether it was undone. */
  undo: () => boolean;
}

/** Why a notebook's active cell cannot be replaced, as a text for the user; null if it can. */
export function replaceObstacle(
  panel: NotebookPanel,
  trans: TranslationBundle
): string | null {
  const cell = panel.content.activeCell;
  if (!cell) {
    return trans.__('The notebook has no active cell. Choose one there.');
  }
  const { model } = cell;
  const isFixed =
    cell.readOnly ||
    model.getMetadata('editable') === false ||
    (model.type === 'raw' && model.getMetadata('deletable') === false);
  return isFixed
    ? trans.__('The active cell of the notebook cannot be edited.')
    : null;
}

/** Insert a cell below the active one, and make it the active one. */
export function insertBelow(panel: NotebookPanel, cell: INewCell): IDone {
  const { content } = panel;
  const notebook = content.model!.sharedModel;
  const index = content.activeCellIndex + 1;
  const undo = asStep(notebook, () => notebook.insertCell(index, { ...cell }));
  show(panel, index);
  return { index, undo };
}

/** Replace the text of the active cell; a cell of another type is made again. */
export function replaceActive(panel: NotebookPanel, cell: INewCell): IDone {
  const { content } = panel;
  const notebook = content.model!.sharedModel;
  const index = content.activeCellIndex;
  const shared = notebook.getCell(index);
  const undo = asStep(notebook, () => {
    if (shared.cell_type === cell.cell_type) {
      shared.setSource(cell.source);
      for (const [key, value] of Object.entries(cell.metadata)) {
        shared.setMetadata(key, value!);
      }
    } else {
      notebook.deleteCell(index);
      notebook.insertCell(index, { ...cell });
    }
  });
  show(panel, index);
  return { index, undo };
}

/** Make a cell active and visible; the focus stays where it is. */
function show(panel: NotebookPanel, index: number): void {
  const { content } = panel;
  if (content.mode === 'edit') {
    // In edit mode, the notebook's undo would be that of the editor.
    content.mode = 'command';
  }
  activateCell(content, index);
  content.deselectAll();
  if (panel.isVisible) {
    void scrollToCell(content, index);
  }
}

/** Change a notebook as one step of undo, with nothing else in it. */
function asStep(notebook: ISharedNotebook, change: () => void): () => boolean {
  const { undoManager } = notebook as Partial<YNotebook>;
  undoManager?.stopCapturing();
  // The notebook's transaction: a cell alone would count it among what was typed into it.
  notebook.transact(change);
  undoManager?.stopCapturing();
  const step = undoManager?.undoStack.at(-1);
  return () => {
    const isLast = step !== undefined && undoManager?.undoStack.at(-1) === step;
    return isLast && !notebook.isDisposed && notebook.undo() !== false;
  };
}
