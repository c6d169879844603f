import { MarkdownCell, type Cell } from '@jupyterlab/cells';

import type { ChatPanel } from './panel';

/** Add a system message: at the top if there is none, else below the active cell. */
export function addSystem(panel: ChatPanel): void {
  const hasSystem = panel.content.widgets.some(
    cell => cell.model.type === 'raw'
  );
  addCell(panel, 'raw', hasSystem ? panel.content.activeCellIndex + 1 : 0);
}

/** Add a note below the active cell. */
export function addNote(panel: ChatPanel): void {
  addCell(panel, 'markdown', panel.content.activeCellIndex + 1);
}

/** The active system message or note, if its text can be edited. */
export function editableText(panel: ChatPanel): Cell | null {
  const cell = panel.content.activeCell;
  return cell && cell.model.type !== 'code' && !cell.readOnly ? cell : null;
}

/** Edit the text of the active system message or note. */
export function editText(panel: ChatPanel): void {
  const cell = editableText(panel);
  if (cell instanceof MarkdownCell) {
    cell.rendered = false;
  }
  if (cell) {
    panel.content.mode = 'edit';
    cell.editor?.focus();
  }
}

/** Leave the cell being edited; a note is rendered. */
export function finishEditing(panel: ChatPanel): void {
  const cell = panel.content.activeCell;
  if (cell instanceof MarkdownCell) {
    cell.rendered = true;
  }
  panel.enterView();
}

function addCell(
  panel: ChatPanel,
  type: 'raw' | 'markdown',
  index: number
): void {
  const { content: notebook, context } = panel;
  if (!context.isReady) {
    // Cells inserted before the file is read would be lost.
    void context.ready.then(() => addCell(panel, type, index));
    return;
  }
  notebook.model?.sharedModel.insertCell(index, {
    cell_type: type,
    source: '',
    metadata: {}
  });
  notebook.activeCellIndex = index;
  notebook.deselectAll();
  const cell = notebook.activeCell;
  // A new cell has no editor until it is drawn.
  void cell?.ready.then(() => {
    if (!cell.isDisposed && notebook.activeCell === cell) {
      notebook.mode = 'edit';
      cell.editor?.focus();
    }
  });
}
