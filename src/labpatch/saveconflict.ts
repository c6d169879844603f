import type { DocumentRegistry } from '@jupyterlab/docregistry';

/**
 * Thrown when a save finds a version of the file other than the one the document was read from.
 *
 * `Context.save` passes errors of this name on without a dialog.
 */
export class SaveConflict extends Error {
  constructor(path: string) {
    super(`${path} has changed on disk.`);
    this.name = 'ModalDuplicateError';
  }
}

/**
 * Let a save fail with `SaveConflict` instead of asking the user about another version of the file,
 * if `solves` says that the conflict can be solved without them. JupyterLab 4.4 to 4.6.
 *
 * `Context._raiseConflict` is private, no option or signal precedes its question, and checking the
 * file beforehand leaves a moment in which others can write it.
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
