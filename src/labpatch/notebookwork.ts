import type { Notebook } from '@jupyterlab/notebook';

/**
 * Keep a notebook from drawing its cells by itself, and clear selections in another way. JupyterLab
 * 4.4 to 4.6.
 *
 * `_runOnIdleTime` draws all cells from the first one on; a chat is read from its end and draws
 * what is near the view. `_trimSelections` dispatches to every editor whenever another cell becomes
 * active. Both are private, and no option changes them.
 */
export function takeOverWork(notebook: Notebook): void {
  Object.assign(notebook as object, {
    _runOnIdleTime: () => Promise.resolve(),
    _trimSelections: () => endSelections(notebook)
  });
}

/**
 * Make a cell of any notebook active, without a dispatch to every editor. JupyterLab 4.4 to 4.6.
 *
 * After each, CodeMirror measures the editor in the next frame: in a long notebook, that takes longer
 * than everything else. The notebook itself is left as it was.
 */
export function activateCell(notebook: Notebook, index: number): void {
  const own = notebook as object as { _trimSelections?: () => void };
  own._trimSelections = () => endSelections(notebook);
  try {
    notebook.activeCellIndex = index;
  } finally {
    delete own._trimSelections;
  }
}

/** Text is selected in one cell at a time; an editor without a selection is left alone. */
function endSelections(notebook: Notebook): void {
  for (const cell of notebook.widgets) {
    const { editor } = cell;
    if (cell === notebook.activeCell || !editor || cell.model.isDisposed) {
      continue;
    }
    cell.model.selections.delete(editor.uuid);
    const { start, end } = editor.getSelection();
    if (start.line !== end.line || start.column !== end.column) {
      editor.setCursorPosition(editor.getCursorPosition(), { scroll: false });
    }
  }
}
