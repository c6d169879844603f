import type { CellSearchProvider } from '@jupyterlab/cells';
import type { NotebookSearchProvider } from '@jupyterlab/notebook';

/** What of the search in a notebook has no public name. */
interface INotebookSearch {
  _addCellProvider(index: number): void;
  _searchProviders?: CellSearchProvider[];
}

/** The searches of the cells, in order. JupyterLab 4.6 keeps them in `_searchProviders`. */
export function cellSearches(
  provider: NotebookSearchProvider
): CellSearchProvider[] {
  return (provider as unknown as INotebookSearch)._searchProviders ?? [];
}

/**
 * Call back with the search of each cell that is added to a notebook from now on. JupyterLab 4.6.
 *
 * `_addCellProvider` makes it, and no signal tells of it.
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
 * Make the highlighter of a cell's search now. JupyterLab 4.6.
 *
 * The search gives its highlighter an editor when the cell comes into view, which throws if the
 * highlighter was made only then and has found the editor itself. The protected getter `cmHandler`
 * makes it.
 */
export function makeHighlighter(search: CellSearchProvider): void {
  void (search as unknown as { cmHandler: unknown }).cmHandler;
}
