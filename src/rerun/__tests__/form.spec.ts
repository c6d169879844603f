import { badFields, EMPTY_FORM, wishOf } from '../form';

const SOURCE = { paths: ['a.replay.ipynb'] };

describe('wishOf', () => {
  it('asks for nothing that was not entered', () => {
    expect(wishOf(EMPTY_FORM, SOURCE, {})).toEqual({
      source: SOURCE,
      models: [],
      repeats: 1,
      set: [],
      prices: {},
      maxRequests: null,
      maxCost: null
    });
  });

  it('reads options line by line, and numbers as people write them', () => {
    const wish = wishOf(
      {
        models: ['a/b'],
        repeats: 3,
        options: ' temperature=0 \n\nstop=["a", "b"]\r\n',
        maxRequests: ' 12 ',
        maxCost: '0,5',
        out: '/sub/other'
      },
      SOURCE,
      {}
    );
    expect(wish).toMatchObject({
      models: ['a/b'],
      repeats: 3,
      set: ['temperature=0', 'stop=["a", "b"]'],
      maxRequests: 12,
      maxCost: 0.5,
      out: 'sub/other.ipynb'
    });
  });
});

describe('badFields', () => {
  it.each([
    ['', '', []],
    ['5', '.5', []],
    ['0', '0', ['maxRequests']],
    ['1.5', '', ['maxRequests']],
    ['-1', '-1', ['maxRequests', 'maxCost']],
    ['many', '1e9', ['maxRequests', 'maxCost']],
    // A thousand to some, one to others.
    ['1,000', '1,000', ['maxRequests', 'maxCost']],
    ['1.000', '1.000', ['maxRequests', 'maxCost']],
    ['1,', '12.500', ['maxRequests', 'maxCost']],
    ['1 000', '1,000.50', ['maxRequests', 'maxCost']],
    ['9'.repeat(20), '', ['maxRequests']],
    ['1000', '0.125', []],
    ['', '12,5', []],
    ['', '12.3456', []],
    // While it is being typed.
    ['', '12.', []],
    ['', '.', ['maxCost']]
  ])('of %p requests and %p dollars', (maxRequests, maxCost, bad) => {
    expect(badFields({ ...EMPTY_FORM, maxRequests, maxCost })).toEqual(bad);
  });
});
