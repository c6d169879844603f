import fc from 'fast-check';

import { CUT, lineDiff, markTexts, type IPiece } from '../marking';
import { sameRuns } from '../samesequence';

const joined = (pieces: readonly IPiece[] | null) =>
  pieces && pieces.map(({ text }) => text).join('');

const kept = (pieces: readonly IPiece[] | null) =>
  pieces!
    .filter(({ marked }) => !marked)
    .map(({ text }) => text)
    .join('');

const text = fc
  .array(
    fc.constantFrom(
      'one',
      'two',
      ' ',
      '\n',
      '.',
      '你好',
      '\ud83d\ude00',
      '\ud800'
    ),
    { maxLength: 30 }
  )
  .map(words => words.join(''));

describe('marked texts', () => {
  it.each(['word', 'line'] as const)(
    'add up to the texts, and what is not marked is in both, by %s',
    unit => {
      fc.assert(
        fc.property(text, text, (a, b) => {
          const [before, after] = markTexts([a, b], 0, unit);
          expect(joined(before)).toBe(a);
          expect(joined(after)).toBe(b);
          expect(kept(before)).toBe(kept(after));
        })
      );
    }
  );

  it('mark in the base what one of the others lacks', () => {
    const marked = markTexts(['red green blue', 'red blue', null], 0, 'word');
    expect(marked).toEqual([
      [
        { text: 'red ', marked: false },
        { text: 'green ', marked: true },
        { text: 'blue', marked: false }
      ],
      [{ text: 'red blue', marked: false }],
      null
    ]);
    const [base] = markTexts(['red blue', 'red blue', 'red'], 0, 'word');
    expect(base).toEqual([
      { text: 'red', marked: false },
      { text: ' blue', marked: true }
    ]);
  });

  it('are marked whole if the base has none', () => {
    expect(markTexts([null, 'new'], 0, 'word')).toEqual([
      null,
      [{ text: 'new', marked: true }]
    ]);
  });

  it('go by whole lines', () => {
    expect(markTexts(['a b\nc\n', 'a B\nc\n'], 0, 'line')).toEqual([
      [
        { text: 'a b\n', marked: true },
        { text: 'c\n', marked: false }
      ],
      [
        { text: 'a B\n', marked: true },
        { text: 'c\n', marked: false }
      ]
    ]);
  });

  it('are cut where they are too long, without splitting a character', () => {
    const long = `${'a'.repeat(CUT - 1)}\ud83d\ude00 the end`;
    const [pieces] = markTexts([long, long], 0, 'word');
    expect(joined(pieces)!.length).toBe(CUT + 1);
    expect(long.startsWith(joined(pieces)!)).toBe(true);
    expect(joined(pieces)).not.toMatch(/[\ud800-\udbff]$/);
  });
});

describe('lineDiff', () => {
  it('has both texts', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'c', '')),
        fc.array(fc.constantFrom('a', 'b', 'c', '')),
        (a, b) => {
          const [before, after] = [a, b].map(list =>
            list.map(line => `${line}\n`).join('')
          );
          const lines = lineDiff(before, after)
            .split('\n')
            .filter(l => l);
          const side = (sign: string) =>
            lines
              .filter(line => line[0] === ' ' || line[0] === sign)
              .map(line => line.slice(1));
          expect(side('-')).toEqual(a);
          expect(side('+')).toEqual(b);
        }
      )
    );
  });
});

describe('sameRuns', () => {
  it('finds only what is the same, also among more items than there are codes', () => {
    const many = Array.from({ length: 70_000 }, (_, n) => `word ${n}`);
    const other = many.map((word, n) => (n % 9 ? word : `other ${n}`));
    const runs = sameRuns(many, other);
    expect(runs.length).toBeGreaterThan(0);
    for (const { a, b, length } of runs) {
      expect(many.slice(a, a + length)).toEqual(other.slice(b, b + length));
    }
  });
});
