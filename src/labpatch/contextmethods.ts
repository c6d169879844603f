import type { DocumentRegistry } from '@jupyterlab/docregistry';

/** The methods by which everything in JupyterLab saves, renames or rereads a document. */
export type SavingMethod = 'save' | 'saveAs' | 'rename' | 'revert';

type Methods = Pick<DocumentRegistry.Context, SavingMethod>;

/**
 * Replace a method of one document's context; `made` gets the method as it was. JupyterLab 4.4 to 4.6.
 *
 * Commands, autosave and the question on closing all call `save`, `saveAs` and `revert` of the context. Its signal
 * `saveState` says that a save has begun, but with it nobody can delay or repeat a save, or do something before it
 * (jupyterlab/jupyterlab#9764). And no signal says that the file was read again.
 */
export function replaceMethod<M extends SavingMethod>(
  context: DocumentRegistry.Context,
  name: M,
  made: (method: Methods[M]) => Methods[M]
): void {
  const methods: Methods = context;
  methods[name] = made(methods[name].bind(context) as Methods[M]);
}
