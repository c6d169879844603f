import type { ILocal } from '../../base/run';
import { viewLocal } from '../localstate';
import { english } from './english';

const local = (change: Partial<ILocal>): ILocal => ({
  state: 'missing',
  message: '',
  model: 'smollm2-135m',
  size: 93_200_000,
  received: 0,
  ...change
});

describe('viewLocal', () => {
  it('offers to download what is missing, with its size', () => {
    expect(viewLocal(local({}), english)).toEqual({
      text: 'The embedded model is not on this machine yet (93 MB).',
      offer: 'fetch'
    });
  });

  it('says that only the package that runs it is missing, and what to do', () => {
    const view = viewLocal(local({ received: 93_200_000 }), english);
    expect(view?.text).toContain('xllamacpp');
    expect(view?.text).toContain('pip install "jupyterlab-turnbook[local]"');
    expect(view?.offer).toBe('fetch');
  });

  it('shows how much has arrived, never more than the total', () => {
    expect(
      viewLocal(local({ state: 'fetching', received: 46_600_000 }), english)
    ).toMatchObject({ offer: 'cancel', progress: 0.5, amount: '47 of 93 MB' });
    expect(
      viewLocal(local({ state: 'fetching', received: 99e6 }), english)?.progress
    ).toBe(1);
    expect(
      viewLocal(local({ state: 'fetching', size: 0, received: 5e6 }), english)
    ).toMatchObject({ progress: null, amount: '5 MB' });
  });

  it('says why it failed and offers to try again', () => {
    const view = viewLocal(
      local({ state: 'failed', message: 'The disk is full. Free 100 MB.' }),
      english
    );
    expect(view?.text).toContain('Free 100 MB.');
    expect(view?.offer).toBe('again');
  });

  it('is silent when the model can be used', () => {
    expect(viewLocal(local({ state: 'ready' }), english)).toBeNull();
    expect(viewLocal(local({ state: 'running' }), english)).toBeNull();
  });
});
