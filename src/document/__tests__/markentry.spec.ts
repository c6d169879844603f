import fc from 'fast-check';

import { normaliseTopic } from '../../filter/topics';
import { nextStar, storedTopic, withMarks } from '../markentry';
import { readMarks } from '../metadata';

describe('nextStar', () => {
  it('cycles through the stars', () => {
    expect([0, 1, 2, 3].map(nextStar)).toEqual([1, 2, 3, 0]);
  });
});

describe('withMarks', () => {
  it('writes what reads back, whatever was there', () => {
    const change = fc.record(
      {
        topic: fc.string(),
        star: fc.double(),
        in: fc.boolean()
      },
      { requiredKeys: [] }
    );
    fc.assert(
      fc.property(fc.jsonValue(), change, (before, marks) => {
        const after = withMarks(before, marks);
        const read = { topic: '', star: 0, in: true, ...readMarks(after) };
        if (marks.topic !== undefined) {
          expect(read.topic).toBe(storedTopic(marks.topic));
          expect(normaliseTopic(read.topic)).toBe(read.topic);
        }
        if (marks.in !== undefined) {
          expect(read.in).toBe(marks.in);
        }
        if (marks.star !== undefined) {
          expect([0, 1, 2, 3]).toContain(read.star);
          expect(after.star ?? 0).toBe(read.star);
        }
        expect(withMarks(after, marks)).toEqual(after);
      })
    );
  });
});
