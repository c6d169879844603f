import type { Notebook } from '@jupyterlab/notebook';

/**
 * Keep a notebook from drawing its cells by itself, and clear selections in another way. JupyterLab
 * 4.4 to 4.6.
 *
 * `_runOnIdleTime` draws all cells from the first one on; a chat is read from its end and draws
 * what is near the view. `_trimSelections` dispatches to every editor whenever another cell becomes
 * active. Both are private, and no option changes them.
 */
export function takeOverWork(
  notebook: Notebook,
  endSelections: () => void
): void {
  Object.assign(notebook as object, {
    _runOnIdleTime: () => Promise.resolve(),
    _trimSelections: endSelections
  });
}
