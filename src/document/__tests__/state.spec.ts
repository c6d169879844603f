import type { RunState } from '../../base/run';
import { errorText, pairError, pairState } from '../state';

describe('pairState', () => {
  it.each<[RunState, string]>([
    ['claimed', 'sending'],
    ['sending', 'sending'],
    ['streaming', 'awaiting'],
    ['done', 'succeeded'],
    ['stopped', 'canceled'],
    ['failed', 'error'],
    ['interrupted', 'error'],
    ['unknown', 'error']
  ])('%s is %s', (run, pair) => {
    expect(pairState(run)).toBe(pair);
  });
});

describe('pairError', () => {
  const end = {
    type: 'rate' as const,
    code: 'rate',
    status: 429,
    message: 'Slow down.',
    retryAfter: null,
    finish: null
  };

  it('exists only for failed runs', () => {
    expect(pairError({ state: 'done', end: null })).toBeUndefined();
    expect(pairError({ state: 'stopped', end })).toBeUndefined();
    expect(pairError({ state: 'failed', end })).toEqual({
      type: 'rate',
      code: 'rate',
      status: 429,
      message: 'Slow down.'
    });
  });

  it('has a text even if the server had none', () => {
    const error = pairError({ state: 'interrupted', end: null })!;
    expect(errorText(error)).toBe(
      '[error: interrupted] The reply was interrupted.'
    );
  });
});
