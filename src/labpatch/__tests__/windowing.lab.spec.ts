import { StaticNotebook } from '@jupyterlab/notebook';

import { skipsCells, windowingMode } from '../windowing';

const own = StaticNotebook.prototype as any;
const { onUpdateRequest } = own;

afterEach(() => {
  own.onUpdateRequest = onUpdateRequest;
});

describe('windowingMode', () => {
  it('lets the browser skip cells in this JupyterLab', () => {
    expect(skipsCells()).toBe(true);
    expect(windowingMode()).toBe('contentVisibility');
  });

  it('defers drawing where an update would draw all cells', () => {
    own.onUpdateRequest = function () {
      return this.notebookConfig.windowingMode === 'defer';
    };
    expect(windowingMode()).toBe('defer');
  });
});
