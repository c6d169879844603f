import { Context } from '@jupyterlab/docregistry';
import { Drive, RestContentProvider } from '@jupyterlab/services';

import { readWith, usualProvider } from '../contextreading';

describe('readWith', () => {
  it('names the provider where JupyterLab looks for it', () => {
    const { _revert, _maybeSave } = Context.prototype as any;
    for (const method of [_revert, _maybeSave]) {
      expect(String(method)).toContain('this._contentProviderId');
    }
  });

  it.each([
    [
      'has not read its file',
      { isReady: false, _contentProviderId: undefined },
      true
    ],
    ['has read it', { isReady: true, _contentProviderId: undefined }, false],
    ['has a provider', { isReady: false, _contentProviderId: 'rtc' }, false],
    ['cannot be told', { isReady: false }, false]
  ])('with a document that %s', (_, context: any, will) => {
    const before = { ...context };
    expect(readWith(context, 'ours')).toBe(will);
    expect(context).toEqual(
      will ? { ...before, _contentProviderId: 'ours' } : before
    );
  });
});

describe('usualProvider', () => {
  it('is what a drive reads with, unless that cannot be told', () => {
    const drive = new Drive();
    expect(usualProvider(drive)).toBeInstanceOf(RestContentProvider);
    delete (drive as any)._restContentProvider;
    expect(usualProvider(drive)).toBeNull();
  });
});
