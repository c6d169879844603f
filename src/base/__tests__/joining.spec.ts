import * as fs from 'fs';
import * as path from 'path';

import * as fc from 'fast-check';

import { isSettled, joined, type IPart } from '../joining';
import type { GoesOn } from '../run';

interface ICase {
  name: string;
  how: GoesOn;
  whole: boolean;
  before: string;
  after: string;
  text: string;
  seam: number | null;
  removed: number;
}

const CASES = JSON.parse(
  fs.readFileSync(
    path.resolve('jupyterlab_turnbook/tests/golden-joins.json'),
    'utf-8'
  )
) as ICase[];

const part = (text: string, goesOn: GoesOn, whole = true): IPart => ({
  text,
  goesOn,
  whole
});

describe('joined', () => {
  it.each(CASES.map(one => [one.name, one] as const))('%s', (_, one) => {
    const made = joined(
      { text: one.before, seams: [] },
      part(one.after, one.how, one.whole)
    );
    const { seam: at, removed } = one;
    const seams = at === null ? [] : [removed ? { at, removed } : { at }];
    expect(made).toEqual({ text: one.text, seams });
  });

  it('keeps the seams of earlier attempts, until a reply starts over', () => {
    const first = joined(
      { text: 'One two ', seams: [] },
      part('three four ', 'prefill', false)
    );
    const second = joined(first, part('five six ', 'prefill', false));
    expect(second.seams).toEqual([{ at: 8 }, { at: 19 }]);
    // Interrupted while it repeats what was there: nothing new.
    expect(joined(second, part('five', 'instruct', false))).toBe(second);
    expect(
      joined(second, part('One two three four five six seven.', 'instruct'))
    ).toEqual({ text: 'One two three four five six seven.', seams: [] });
  });

  it('grows only at its end once it is settled', () => {
    const texts = fc.string({
      unit: fc.constantFrom('a', 'b ', 'c', '\n', '🌍'),
      maxLength: 200
    });
    fc.assert(
      fc.property(
        texts,
        texts,
        texts,
        fc.constantFrom<GoesOn>('prefill', 'instruct'),
        (before, after, more, how) => {
          fc.pre(isSettled(before, after));
          const reply = { text: before, seams: [] };
          const now = joined(reply, part(after, how, false));
          const later = joined(reply, part(after + more, how, true));
          expect(later).toEqual({ ...now, text: now.text + more });
        }
      )
    );
  });
});
