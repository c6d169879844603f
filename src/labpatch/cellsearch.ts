import type { CellSearchProvider } from '@jupyterlab/cells';
import type { NotebookSearchProvider } from '@jupyterlab/notebook';

/** The private members of a notebook's search provider. */
interface INotebookSearch {
  _addCellProvider(index: number): void;
  _searchProviders?: CellSearchProvider[];
}

/** The search providers of the cells, in order. JupyterLab 4.6 keeps them in `_searchProviders`. */
export function cellSearches(
  provider: NotebookSearchProvider
): CellSearchProvider[] {
  return (provider as unknown as INotebookSearch)._searchProviders ?? [];
}

/**
 * Call back with the search provider of each cell that is added to a notebook from now on.
 * JupyterLab 4.6.
 *
 * `_addCellProvider` creates it, and there is no signal.
 */
export function onCellSearchAdded(
  provider: NotebookSearchProvider,
  added: (search: CellSearchProvider) => void
): void {
  const { _addCellProvider: add } = provider as unknown as INotebookSearch;
  Object.assign(provider as object, {
    _addCellProvider: (index: number) => {
      add.call(provider, index);
      added(cellSearches(provider)[index]);
    }
  });
}

/**
 * Create the highlighter of a cell's search provider now. JupyterLab 4.6.
 *
 * The provider gives its highlighter an editor when the cell comes into view, which throws if the
 * highlighter was created only then and has found the editor itself. The protected getter
 * `cmHandler` creates it.
 */
export function makeHighlighter(search: CellSearchProvider): void {
  void (search as unknown as { cmHandler: unknown }).cmHandler;
}
