import { CellSearchProvider } from '@jupyterlab/cells';
import { NotebookSearchProvider } from '@jupyterlab/notebook';

import { cellSearches, onCellSearchAdded } from '../cellsearch';

const source = String(NotebookSearchProvider);

describe('the searches of cells', () => {
  it('are where JupyterLab still keeps and adds them', () => {
    expect(source).toContain('this._searchProviders = []');
    expect(source).toContain('this._addCellProvider(');
    expect(
      (NotebookSearchProvider.prototype as any)._addCellProvider
    ).toBeInstanceOf(Function);
  });

  it('create their highlighter on request', () => {
    let owner = CellSearchProvider.prototype;
    while (owner && !Object.hasOwn(owner, 'cmHandler')) {
      owner = Object.getPrototypeOf(owner);
    }
    const getter = Object.getOwnPropertyDescriptor(owner, 'cmHandler')?.get;
    expect(String(getter)).toMatch(/_cmHandler = new/);
  });

  it('are reported as they are added', () => {
    const provider = Object.create(NotebookSearchProvider.prototype);
    expect(cellSearches(provider)).toEqual([]);
    const search = {} as CellSearchProvider;
    provider._addCellProvider = () => {
      provider._searchProviders = [search];
    };
    const added = jest.fn();
    onCellSearchAdded(provider, added);
    provider._addCellProvider(0);
    expect(added).toHaveBeenCalledWith(search);
  });
});
