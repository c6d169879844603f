import fc from 'fast-check';

import type { ContextCell } from '../gather';
import { INTERRUPTED } from '../gather';
import { charsEstimator, gptEstimator, TokenCache } from '../tokens';

const pair = (user: string, reply: string): ContextCell => ({
  kind: 'pair',
  id: 'a',
  user,
  reply,
  state: 'succeeded'
});

/** An estimator that is refined at will and keeps account of its work. */
function scripted() {
  const counted: string[] = [];
  return {
    counted,
    factor: 1,
    media: 1000,
    revision: 0,
    ready: Promise.resolve(),
    problem: null,
    count(text: string): number {
      counted.push(text);
      return text.length * this.factor;
    }
  };
}

describe('charsEstimator', () => {
  it('rounds each text up', () => {
    const { count } = charsEstimator();
    expect(['', 'a', 'four', 'fives'].map(count)).toEqual([0, 1, 1, 2]);
    expect(charsEstimator(2.5).count('123456')).toBe(3);
  });

  it.each([0, -1, NaN])('ignores an invalid size such as %s', size => {
    expect(charsEstimator(size).count('12345678')).toBe(2);
  });
});

describe('gptEstimator', () => {
  it('counts by length until it is loaded, then for real', async () => {
    const estimator = gptEstimator();
    expect([
      estimator.count('internationalization'),
      estimator.revision
    ]).toEqual([5, 0]);
    await estimator.ready;
    expect([
      estimator.count('internationalization'),
      estimator.revision
    ]).toEqual([2, 1]);
    expect(estimator.problem).toBeNull();
  });

  it('stays with length and says why when it cannot be loaded', async () => {
    const estimator = gptEstimator(4, () =>
      Promise.reject(new Error('offline'))
    );
    await estimator.ready;
    expect(estimator.count('internationalization')).toBe(5);
    expect(estimator.problem).toMatch(/offline.*reload/);
  });

  it('accepts any text, even one with special tokens', async () => {
    const estimator = gptEstimator();
    await estimator.ready;
    expect(estimator.count('')).toBe(0);
    expect(estimator.count('<|endoftext|>')).toBeGreaterThan(1);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), text => {
        const tokens = estimator.count(text);
        expect(tokens).toBeGreaterThanOrEqual(text ? 1 : 0);
        expect(estimator.count(text)).toBe(tokens);
      }),
      { numRuns: 40 }
    );
  });

  it('splits long texts for the tokenizer without splitting characters', async () => {
    const pieces: string[] = [];
    const estimator = gptEstimator(4, () =>
      Promise.resolve(text => pieces.push(text) && 1)
    );
    await estimator.ready;
    for (const text of [
      'a'.repeat(5000),
      '😀'.repeat(1501),
      'word '.repeat(900)
    ]) {
      pieces.length = 0;
      estimator.count(`x${text}`);
      expect(pieces.join('')).toBe(`x${text}`);
      for (const piece of pieces) {
        expect(piece.length).toBeLessThanOrEqual(1000);
        // With `u`, half a character matches and a whole one does not.
        expect(piece).not.toMatch(/\p{Surrogate}/u);
      }
    }
  });

  it('counts the same text once, and one that differs in a letter again', async () => {
    let calls = 0;
    const estimator = gptEstimator(4, () => Promise.resolve(() => ++calls));
    await estimator.ready;
    const text = 'x'.repeat(500);
    estimator.count(text);
    estimator.count('x'.repeat(500));
    expect(calls).toBe(1);
    estimator.count(`${text.slice(1)}y`);
    estimator.count(`y${text.slice(1)}`);
    expect(calls).toBe(3);
  });
});

describe('TokenCache', () => {
  it('counts what would be sent', () => {
    const cache = new TokenCache(charsEstimator(1));
    expect(cache.tokens(pair('12345', '123'))).toBe(8);
    expect(cache.tokens(pair('  ', '123'))).toBe(3);
    expect(cache.tokens({ kind: 'note', id: 'n' })).toBe(0);
    expect(cache.tokens({ kind: 'system', id: 's', text: '12' })).toBe(2);
    expect(
      cache.tokens({
        kind: 'pair',
        id: 'c',
        user: '1',
        reply: '12',
        state: 'canceled'
      })
    ).toBe(1 + `12\n\n${INTERRUPTED}`.length);
    expect(cache.message('123')).toBe(3);
  });

  it('counts an unchanged cell once and a changed one again', () => {
    const estimator = scripted();
    const cache = new TokenCache(estimator);
    const cell = pair('question', 'answer');
    expect([cache.tokens(cell), cache.tokens(cell)]).toEqual([14, 14]);
    expect(estimator.counted).toEqual(['question', 'answer']);
    expect(cache.tokens(pair('question', 'answer!'))).toBe(15);
  });

  it('uses old counts until they are recounted, with pauses', async () => {
    const estimator = scripted();
    const cache = new TokenCache(estimator);
    const cells = Array.from({ length: 10 }, () =>
      pair('', 'x'.repeat(20_000))
    );
    cells.forEach(cell => cache.tokens(cell));
    Object.assign(estimator, { factor: 2, revision: 1 });
    expect(cache.tokens(cells[0])).toBe(20_000);
    expect(cells.every(cell => cache.isStale(cell))).toBe(true);
    let pauses = 0;
    const pause = async () => {
      pauses++;
    };
    expect(await cache.recount(cells, pause)).toBe(true);
    expect(cells.map(cell => cache.tokens(cell))).toEqual(
      Array(10).fill(40_000)
    );
    expect(pauses).toBe(3);
    expect(await cache.recount(cells, pause)).toBe(false);
    expect(estimator.counted).toHaveLength(20);
  });
});
