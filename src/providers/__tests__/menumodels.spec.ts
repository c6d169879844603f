import type { IModelList } from '../../base/run';
import {
  LISTED,
  menuModels,
  moved,
  shortPrice,
  shortTokens
} from '../menumodels';

function listOf(...ids: string[]): IModelList {
  return {
    providers: [...new Set(ids.map(id => id.split('/')[0]))],
    models: ids.map(id => {
      const [provider, ...model] = id.split('/');
      const price = null;
      return { id, provider, model: model.join('/'), window: null, price };
    }),
    errors: [],
    default: ids[0] ?? ''
  };
}

const LIST = listOf('a/one', 'a/two', 'b/org/One-large', 'b/three');

function shown(...args: Parameters<typeof menuModels>) {
  return menuModels(...args).groups.map(({ provider, options }) => [
    provider,
    options.map(({ id }) => id)
  ]);
}

describe('the models of the menu', () => {
  it('are grouped by provider, with the recent ones first and once', () => {
    expect(shown(LIST, 'a/one', ['b/three', 'gone/x', 'a/one'], '')).toEqual([
      [null, ['b/three', 'a/one']],
      ['a', ['a/two']],
      ['b', ['b/org/One-large']]
    ]);
    expect(shown(LIST, '', [], '')).toEqual([
      ['a', ['a/one', 'a/two']],
      ['b', ['b/org/One-large', 'b/three']]
    ]);
  });

  it('are found by words of provider and model, in any case and order', () => {
    expect(shown(LIST, '', ['a/one'], ' ONE')).toEqual([
      [null, ['a/one']],
      ['b', ['b/org/One-large']]
    ]);
    expect(shown(LIST, '', [], 'large b/')).toEqual([
      ['b', ['b/org/One-large']]
    ]);
    expect(menuModels(LIST, '', [], 'nothing').ids).toEqual([]);
    expect(shown(LIST, '', [], '.*')).toEqual([]);
  });

  it('always have the current one, listed or not, and before the list is there', () => {
    expect(shown(LIST, 'c/gone', [], 'gone')).toEqual([['c', ['c/gone']]]);
    expect(shown(null, 'c/gone', ['c/gone'], '')).toEqual([[null, ['c/gone']]]);
    expect(menuModels(null, '', ['a/one'], '').ids).toEqual([]);
  });

  it('end after some hundreds; the rest is found by searching', () => {
    const names = Array.from({ length: LISTED + 20 }, (_, n) => `a/m${n}`);
    const { ids, more } = menuModels(listOf(...names, 'b/last'), '', [], '');
    expect([ids.length, more]).toEqual([LISTED, 21]);
    expect(menuModels(listOf(...names, 'b/last'), '', [], 'last').ids).toEqual([
      'b/last'
    ]);
  });
});

describe('the current model', () => {
  it('is listed without a search, however many there are', () => {
    const names = Array.from({ length: LISTED + 20 }, (_, n) => `a/m${n}`);
    const list = listOf(...names, 'b/last');
    for (const current of ['a/m510', 'b/last', 'c/gone']) {
      expect(menuModels(list, current, [], '').ids).toContain(current);
      expect(menuModels(list, current, [], 'm').ids).not.toContain(current);
    }
  });
});

describe('keys', () => {
  it.each([
    [0, 'ArrowDown', 1],
    [24, 'ArrowDown', 0],
    [-1, 'ArrowDown', 0],
    [0, 'ArrowUp', 24],
    [-1, 'ArrowUp', 24],
    [3, 'PageDown', 13],
    [20, 'PageDown', 24],
    [3, 'PageUp', 0],
    [3, 'Home', null]
  ])('from %d by %s to %s', (at, key, to) => {
    expect(moved(at, 25, key)).toBe(to);
  });
});

describe('details', () => {
  it.each([
    [512, '512'],
    [2048, '2k'],
    [8192, '8k'],
    [16_385, '16k'],
    [128_000, '128k'],
    [131_072, '128k'],
    [200_000, '200k'],
    [1_047_576, '1M'],
    [1_048_576, '1M'],
    [2_000_000, '2M'],
    [1_500_000, '1.5M']
  ])('%d tokens are %s', (tokens, words) => {
    expect(shortTokens(tokens)).toBe(words);
  });

  it.each([
    [null, null],
    [{ input: 2.5, output: 10 }, '$2.50 / $10'],
    [{ input: 0.075, output: 0.3 }, '$0.075 / $0.30'],
    [{ input: 0, output: 0 }, '$0 / $0']
  ])('of %j are %s', (price, words) => {
    expect(shortPrice(price)).toBe(words);
  });
});
