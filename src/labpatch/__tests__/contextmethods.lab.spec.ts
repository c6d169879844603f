import { SaveHandler } from '@jupyterlab/docmanager';
import { Context } from '@jupyterlab/docregistry';

import { replaceMethod } from '../contextmethods';

describe('replaceMethod', () => {
  it('replaces what JupyterLab still has and calls', () => {
    for (const name of ['save', 'saveAs', 'rename', 'revert']) {
      expect((Context.prototype as any)[name]).toBeInstanceOf(Function);
    }
    expect(String(SaveHandler)).toMatch(/context\s*\.save\(\)/);
  });

  it('gives the method as it was, bound to its context', async () => {
    const calls: string[] = [];
    const context: any = {
      path: 'a.ipynb',
      async save() {
        calls.push(`saved ${this.path}`);
      }
    };
    replaceMethod(context, 'save', save => async () => {
      calls.push('before');
      await save();
      calls.push('after');
    });
    await context.save();
    expect(calls).toEqual(['before', 'saved a.ipynb', 'after']);
  });
});
