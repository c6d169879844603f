import type { ISharedNotebook, YNotebook } from '@jupyter/ydoc';

/**
 * Change a notebook as one step of undo, with nothing else in it.
 *
 * @param note - What those who follow the step have to know when it is undone; kept with the step.
 */
export function undoStep(
  notebook: ISharedNotebook,
  change: () => void,
  note?: unknown
): void {
  const { undoManager } = notebook as Partial<YNotebook>;
  undoManager?.stopCapturing();
  notebook.transact(change);
  if (note !== undefined) {
    undoManager?.undoStack.at(-1)?.meta.set(NOTE, note);
  }
  undoManager?.stopCapturing();
}

/** A step that was undone or repeated. */
export interface IPopped {
  stackItem: { meta: Map<unknown, unknown> };
  type: 'undo' | 'redo';
  /** The shared types that it changed, and how. */
  changedParentTypes: Map<unknown, { keys: Map<string, unknown> }[]>;
}

/** The note of a step that was undone or repeated; the step that reverses that gets it, too. */
export function noteOf(notebook: ISharedNotebook, popped: IPopped): unknown {
  const note = popped.stackItem.meta.get(NOTE);
  const { undoManager } = notebook as Partial<YNotebook>;
  const reverse =
    popped.type === 'undo' ? undoManager?.redoStack : undoManager?.undoStack;
  if (note !== undefined) {
    reverse?.at(-1)?.meta.set(NOTE, note);
  }
  return note;
}

const NOTE = 'turnbook-note';
