import fc from 'fast-check';

import { align, blocksOf, isEqualRow } from '../align';
import { saidOf, type ISaid } from '../side';

const message = fc.record({
  role: fc.constantFrom('user', 'assistant', 'system'),
  content: fc.constantFrom('a', 'b', 'c', 'd')
});

const side: fc.Arbitrary<ISaid[]> = fc
  .tuple(
    fc.array(message, { maxLength: 8 }),
    fc.array(message, { maxLength: 2 })
  )
  .map(([request, reply]) => [
    ...saidOf(request, false),
    ...saidOf(reply, true)
  ]);

const say = (...texts: string[]) =>
  saidOf(
    texts.map((content, at) => ({
      role: at % 2 ? 'assistant' : 'user',
      content
    })),
    false
  );

describe('align', () => {
  it('has each message of each side once, in order, with replies beside replies', () => {
    fc.assert(
      fc.property(
        fc.array(side, { minLength: 2, maxLength: 4 }),
        fc.nat(),
        (sides, n) => {
          const rows = align(sides, n % sides.length);
          sides.forEach((said, at) => {
            const places = rows.map(row => row[at]).filter(p => p !== null);
            expect(places).toEqual(said.map((_, place) => place));
          });
          for (const row of rows) {
            const kinds = row.flatMap((place, at) =>
              place === null ? [] : [sides[at][place].isReply]
            );
            expect(kinds.length).toBeGreaterThan(0);
            expect(new Set(kinds).size).toBe(1);
          }
        }
      )
    );
  });

  it('folds what all sides begin with into one block, and blocks add up to the sides', () => {
    fc.assert(
      fc.property(
        fc.array(message, { minLength: 1, maxLength: 5 }),
        fc.array(side, { minLength: 2, maxLength: 4 }),
        (start, rests) => {
          const sides = rests.map(rest => [...saidOf(start, false), ...rest]);
          const blocks = blocksOf(align(sides, 0), sides);
          expect(blocks[0].isEqual).toBe(true);
          expect(blocks[0].rows.length).toBeGreaterThanOrEqual(start.length);
          sides.forEach((said, at) => {
            const again = blocks.flatMap(({ rows }) =>
              rows.flatMap(row => (row[at] === null ? [] : [said[row[at]]]))
            );
            expect(again).toEqual(said);
          });
          for (const { isEqual, rows } of blocks) {
            expect(rows.every(row => isEqualRow(row, sides))).toBe(isEqual);
            expect(isEqual || rows.length === 1).toBe(true);
          }
        }
      )
    );
  });

  it('folds what they begin with if one side says it again', () => {
    const sides = [['a', 'c'], ['a', 'a', 'c'], ['a']].map(texts =>
      saidOf(
        texts.map(content => ({ role: 'user', content })),
        false
      )
    );
    expect(blocksOf(align(sides, 0), sides)[0]).toEqual({
      isEqual: true,
      rows: [[0, 0, 0]]
    });
  });

  it('puts a message that only one side has into a row of its own', () => {
    const sides = [say('a', 'b', 'c'), say('a', 'b', 'x', 'y', 'c')];
    expect(align(sides, 0)).toEqual([
      [0, 0],
      [1, 1],
      [null, 2],
      [null, 3],
      [2, 4]
    ]);
  });

  it('puts an edited message beside the one that it was', () => {
    const sides = [say('a', 'b', 'c'), say('a', 'B', 'c')];
    expect(align(sides, 1)).toEqual([
      [0, 0],
      [1, 1],
      [2, 2]
    ]);
  });

  it('tells messages apart whose texts are shown alike', () => {
    const image = (data: string) =>
      saidOf(
        [
          {
            role: 'user',
            content: [
              {
                type: 'image_url',
                image_url: {
                  url: `data:image/png;base64,${'A'.repeat(80)}${data}`
                }
              }
            ]
          }
        ],
        false
      );
    const sides = [image('AAAA'), image('BBBB')];
    expect(sides[0][0].text).toBe(sides[1][0].text);
    expect(blocksOf(align(sides, 0), sides)).toMatchObject([
      { isEqual: false }
    ]);
  });
});
