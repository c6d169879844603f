import type { Notebook } from '@jupyterlab/notebook';

/**
 * Let the focus follow the active cell at once. JupyterLab 4.4, and 4.5 before 4.5.6.
 *
 * In a notebook that is not windowed, scrolling to a cell is done when the call returns. Older versions
 * report that 100 ms later, the focus waits for it, and keys that are pressed meanwhile are lost.
 */
export function endScrolling(notebook: Notebook): void {
  if ('_markProgrammaticScrollingDone' in (notebook as object)) {
    return;
  }
  const scroll = notebook.scrollToItem.bind(notebook);
  notebook.scrollToItem = (...args) => {
    void scroll(...args);
    return Promise.resolve();
  };
}
