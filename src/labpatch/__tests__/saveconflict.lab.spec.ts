import { Context } from '@jupyterlab/docregistry';

import { interceptConflict, SaveConflict } from '../saveconflict';

describe('interceptConflict', () => {
  it('replaces what JupyterLab still has and calls', () => {
    const own = Context.prototype as any;
    expect(own._raiseConflict).toBeInstanceOf(Function);
    expect(String(own._maybeSave)).toContain('this._raiseConflict(');
    // An error of this name is passed on, without a dialog.
    const { name } = new SaveConflict('a');
    expect(String(own._save)).toContain(`name === '${name}'`);
  });

  it('asks only when the conflict cannot be solved', async () => {
    const ask = jest.fn(async () => 'asked');
    const context: any = { path: 'a.ipynb', _raiseConflict: ask };
    let solves = true;
    interceptConflict(context, () => solves);
    await expect(context._raiseConflict()).rejects.toThrow(
      'a.ipynb has changed on disk.'
    );
    expect(ask).not.toHaveBeenCalled();
    solves = false;
    await expect(context._raiseConflict()).resolves.toBe('asked');
  });
});
