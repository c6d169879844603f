import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { Contents } from '@jupyterlab/services';

/**
 * Read a document again, unless it is changed by the time its file is there; return whether it was
 * read. JupyterLab 4.4 to 4.6.
 *
 * `Context.revert` asks for the file and then replaces everything, also what the user wrote meanwhile. Only
 * the private `Context._updateContentsModel` tells a context which version of its file it has; without it, and
 * for documents that are no notebooks, this is the same as `revert`.
 */
export async function rereadUnlessChanged(
  context: DocumentRegistry.Context,
  contents: Pick<Contents.IManager, 'get'>
): Promise<boolean> {
  const { contentsModel, model, path } = context;
  const inner = context as unknown as {
    _updateContentsModel?: (file: Contents.IModel) => void;
  };
  if (contentsModel?.type !== 'notebook' || !inner._updateContentsModel) {
    await context.revert();
    model.dirty = false;
    return true;
  }
  const file = await contents.get(path, {
    type: 'notebook',
    content: true,
    hash: true
  });
  if (context.isDisposed || context.path !== path || model.dirty) {
    return false;
  }
  model.fromJSON(file.content);
  inner._updateContentsModel(file);
  model.dirty = false;
  return true;
}
