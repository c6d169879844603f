import * as fc from 'fast-check';

import { bestMatches, matchCost } from '../match';

const items = (...texts: string[]) => texts.map(text => ({ text }));
const found = (query: string, limit: number, ...texts: string[]) =>
  bestMatches(items(...texts), query, limit).map(({ text }) => text);

describe('bestMatches', () => {
  it('prefers the beginning of a word, then one piece, then letters in order', () => {
    expect(
      found('dat', 9, 'd-a-t', 'update', 'nothing', 'raw data', 'data.csv')
    ).toEqual(['data.csv', 'raw data', 'update', 'd-a-t']);
  });

  it('keeps the order of what matches equally, and takes the first of everything', () => {
    expect(found('', 2, 'c', 'b', 'a')).toEqual(['c', 'b']);
    expect(found('x', 3, 'x1', 'x2', 'x3', 'x4')).toEqual(['x1', 'x2', 'x3']);
    expect(found('x', 0, 'x1')).toEqual([]);
  });

  it('does not find letters that are far from each other', () => {
    expect(
      found('secret', 9, 'untitled.chat.ipynb of some other cores, yet')
    ).toEqual([]);
    expect(found('msrdv', 9, 'my measured values.csv')).toHaveLength(1);
  });

  it('compares another text, and asks what can be listed only of what matches', () => {
    const asked: string[] = [];
    const all = items('x1', 'y1', 'x2', 'x3');
    const best = bestMatches(all, 'out x', 1, {
      textOf: ({ text }) => `out ${text}`,
      canList: ({ text }) => asked.push(text) > 1
    });
    expect(best).toEqual(items('x2'));
    expect(asked).toEqual(['x1', 'x2']);
  });

  it('ignores case in the query', () => {
    expect(found('ANA', 1, 'analysis')).toEqual(['analysis']);
  });

  it('finds the same as sorting everything', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '😀') });
    fc.assert(
      fc.property(
        fc.array(letters),
        letters,
        fc.nat({ max: 5 }),
        (texts, query, limit) => {
          const all = items(...texts)
            .map(item => ({ item, cost: matchCost(query, item.text) }))
            .filter(({ cost }) => cost !== null)
            .sort((a, b) => a.cost! - b.cost!)
            .map(({ item }) => item);
          expect(bestMatches(items(...texts), query, limit)).toEqual(
            all.slice(0, limit)
          );
        }
      )
    );
  });
});
