import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { Contents, IContentProvider } from '@jupyterlab/services';

/**
 * Let a document that is not read yet read and write its file with a content provider, unless it has
 * one; return whether it will. JupyterLab 4.4 to 4.6.
 *
 * A widget factory names one content provider for all its documents, also for those on drives that
 * do not have it, where opening a file would then fail. The context keeps the name in the private
 * `Context._contentProviderId`. No upstream issue about it was found.
 */
export function readWith(
  context: DocumentRegistry.Context,
  provider: string
): boolean {
  const inner = context as unknown as { _contentProviderId?: string };
  if (
    context.isReady ||
    !('_contentProviderId' in inner) ||
    inner._contentProviderId !== undefined
  ) {
    return false;
  }
  inner._contentProviderId = provider;
  return true;
}

/**
 * What a drive reads and writes with where no content provider is named; null if that cannot be told.
 * JupyterLab 4.4 to 4.6.
 *
 * The registry of a drive has only what was added to it, and the drive itself would announce each save
 * twice. Where the server has its files is known to the private `Drive._restContentProvider`.
 */
export function usualProvider(drive: Contents.IDrive): IContentProvider | null {
  const inner = drive as unknown as { _restContentProvider?: IContentProvider };
  return inner._restContentProvider ?? null;
}
