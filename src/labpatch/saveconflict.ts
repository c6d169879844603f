import type { DocumentRegistry } from '@jupyterlab/docregistry';

/**
 * Says that a save found another version of the file than the document was read from.
 *
 * The name is the one of the errors that `Context.save` passes on without a dialog.
 */
export class SaveConflict extends Error {
  constructor(path: string) {
    super(`${path} has changed on disk.`);
    this.name = 'ModalDuplicateError';
  }
}

/**
 * Have a save fail with `SaveConflict` instead of asking the user what to do about another version of the file, as long as
 * `solves` says that the conflict can be solved without them. JupyterLab 4.6.
 *
 * `Context._raiseConflict` is private; no option or signal comes before its question, and looking at the file beforehand
 * leaves a moment in which somebody else can write it.
 */
export function interceptConflict(
  context: DocumentRegistry.Context,
  solves: () => boolean
): void {
  const inner = context as unknown as {
    _raiseConflict?: (...args: unknown[]) => Promise<unknown>;
  };
  const ask = inner._raiseConflict?.bind(context);
  if (ask) {
    inner._raiseConflict = (...args) =>
      solves() ? Promise.reject(new SaveConflict(context.path)) : ask(...args);
  }
}
