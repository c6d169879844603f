import { StaticNotebook } from '@jupyterlab/notebook';

type Mode = StaticNotebook.INotebookConfig['windowingMode'];

/**
 * Whether a notebook can draw its cells bit by bit and let the browser skip those that are out of view.
 * JupyterLab 4.5.3 and later.
 *
 * JupyterLab 4.4 does not have this mode, and 4.5.0 to 4.5.2 draw all cells at once in it. Property names
 * and texts are kept in JupyterLab's compressed code.
 */
export function skipsCells(): boolean {
  const { onUpdateRequest } = StaticNotebook.prototype as unknown as {
    onUpdateRequest?: unknown;
  };
  return String(onUpdateRequest).includes('contentVisibility');
}

/** The mode in which a notebook leaves drawing to idle times, and skips cells where it can. */
export function windowingMode(): Mode {
  return skipsCells() ? 'contentVisibility' : 'defer';
}
