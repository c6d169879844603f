import { Context } from '@jupyterlab/docregistry';

import { rereadUnlessChanged } from '../reread';

describe('rereadUnlessChanged', () => {
  it('calls what JupyterLab still has', () => {
    const own = Context.prototype as any;
    expect(own._updateContentsModel).toBeInstanceOf(Function);
    expect(String(own._revert)).toContain('this._updateContentsModel(');
  });

  it.each([
    ['a document that is no notebook', 'file', () => undefined],
    ['a context that cannot be told', 'notebook', undefined]
  ])('reverts %s', async (_, type, _updateContentsModel) => {
    const revert = jest.fn(async () => undefined);
    const model = { dirty: true };
    const contentsModel = { type };
    const context: any = { contentsModel, model, revert, _updateContentsModel };
    const get = jest.fn();
    expect(await rereadUnlessChanged(context, { get })).toBe(true);
    expect(revert).toHaveBeenCalled();
    expect(get).not.toHaveBeenCalled();
    expect(model.dirty).toBe(false);
  });
});
