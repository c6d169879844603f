import { Notebook, StaticNotebook } from '@jupyterlab/notebook';
import { NBTestUtils } from '@jupyterlab/notebook/lib/testutils';

import { activateCell, takeOverWork } from '../notebookwork';

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

  it('leaves nothing to draw', async () => {
    const notebook = Object.create(Notebook.prototype);
    takeOverWork(notebook);
    await expect(notebook._runOnIdleTime()).resolves.toBeUndefined();
  });
});

describe('activateCell', () => {
  it('ends the selection in another cell, and leaves the other editors alone', () => {
    const notebook = NBTestUtils.createNotebook();
    NBTestUtils.populateNotebook(notebook);
    const trim = (notebook as any)._trimSelections;
    const [first, second, third] = notebook.widgets;
    const start = { line: 0, column: 0 };
    const end = { line: 0, column: 2 };
    first.model.sharedModel.setSource('some code');
    first.editor!.setSelection({ start, end });
    const untouched = jest.spyOn(second.editor!, 'setCursorPosition');
    activateCell(notebook, 2);
    expect(notebook.activeCell).toBe(third);
    expect(first.editor!.getSelection()).toMatchObject({ start: end, end });
    expect(untouched).not.toHaveBeenCalled();
    // JupyterLab's own way is back.
    expect((notebook as any)._trimSelections).toBe(trim);
    expect(Object.keys(notebook)).not.toContain('_trimSelections');
    notebook.dispose();
  });
});
