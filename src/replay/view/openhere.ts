import type { IDocumentManager } from '@jupyterlab/docmanager';
import type {
  DocumentRegistry,
  IDocumentWidget
} from '@jupyterlab/docregistry';

/**
 * Open a document, or reveal it; null if it was opened in another page, as Jupyter Notebook does.
 */
export function openHere(
  documents: Pick<IDocumentManager, 'openOrReveal'>,
  path: string,
  factory: string,
  options?: DocumentRegistry.IOpenOptions
): IDocumentWidget | null {
  const widget = documents.openOrReveal(path, factory, undefined, options);
  return widget && !widget.isDisposed ? widget : null;
}
