import type { ISharedNotebook, YNotebook } from '@jupyter/ydoc';

/** Change a notebook as one step of undo, with nothing else in it. */
export function undoStep(notebook: ISharedNotebook, change: () => void): void {
  const { undoManager } = notebook as Partial<YNotebook>;
  undoManager?.stopCapturing();
  notebook.transact(change);
  undoManager?.stopCapturing();
}
