import { Notebook, StaticNotebook } from '@jupyterlab/notebook';

import { takeOverWork } from '../notebookwork';

describe('takeOverWork', () => {
  it('replaces members that JupyterLab still has and calls', () => {
    const own = Notebook.prototype as any;
    expect(own._runOnIdleTime).toBeInstanceOf(Function);
    expect(own._trimSelections).toBeInstanceOf(Function);
    const calls = [StaticNotebook, Notebook].map(String).join('\n');
    expect(calls).toContain('this._runOnIdleTime(');
    expect(calls).toContain('this._trimSelections()');
    // The replacement exists for this reason alone.
    expect(String(own._trimSelections)).toContain('setCursorPosition');
  });

  it('clears selections in the given way', async () => {
    const notebook = Object.create(Notebook.prototype);
    const end = jest.fn();
    takeOverWork(notebook, end);
    notebook._trimSelections();
    expect(end).toHaveBeenCalledTimes(1);
    await expect(notebook._runOnIdleTime()).resolves.toBeUndefined();
  });
});
