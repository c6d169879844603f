/** Changes to a notebook that is open, each one step of its undo. Nothing is run. */
import type {
  ISharedMarkdownCell,
  ISharedNotebook,
  YNotebook
} from '@jupyter/ydoc';
import type { CodeCell } from '@jupyterlab/cells';
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

/**
 * Why a notebook's active cell cannot be replaced by another, as a text for the user; null if it
 * can.
 */
export function replaceObstacle(
  panel: NotebookPanel,
  { cell_type }: Pick<INewCell, 'cell_type'>,
  trans: TranslationBundle
): string | null {
  const cell = panel.content.activeCell;
  if (!cell) {
    return trans.__('The notebook has no active cell. Choose one there.');
  }
  const { model } = cell;
  if (cell.readOnly || model.getMetadata('editable') === false) {
    return trans.__('The active cell of the notebook cannot be edited.');
  }
  // Without the cell, the kernel would wait for ever.
  const isAsking =
    model.type === 'code' &&
    cell_type !== 'code' &&
    (cell as CodeCell).outputArea.pendingInput;
  return isAsking
    ? trans.__(
        'The active cell of the notebook waits for input. Enter it there or interrupt the kernel, then try again.'
      )
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

/**
 * Replace the text of the active cell. A cell of another type is made again, with its id and its
 * metadata, and with its attachments where its new type can have some.
 */
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
      const metadata = { ...shared.getMetadata(), ...cell.metadata };
      // It was about the outputs, which the new cell does not have.
      delete metadata.trusted;
      const id = shared.getId();
      const attachments = (
        shared as Partial<ISharedMarkdownCell>
      ).getAttachments?.();
      notebook.deleteCell(index);
      notebook.insertCell(index, {
        ...cell,
        id,
        metadata,
        ...(cell.cell_type === 'markdown' ? { attachments } : {})
      });
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
