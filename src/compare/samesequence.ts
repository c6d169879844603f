/** What two lists have in common, in order. */
import { diff } from '@codemirror/merge';

/** Items that both lists have: where they begin, and how many there are. */
export interface ISameRun {
  readonly a: number;
  readonly b: number;
  readonly length: number;
}

/** How hard to look for the smallest difference, before a rough one is taken. */
const EFFORT = { scanLimit: 500, timeout: 200 };

/** Codes that can stand for an item: all but surrogates, which a diff keeps together. */
const CODES = 0xf800;

/** Find what two lists have in common; work is bounded, so it may not be all of it. */
export function sameRuns(
  a: readonly string[],
  b: readonly string[]
): ISameRun[] {
  const codes = new Map<string, number>();
  const [codedA, codedB] = [coded(a, codes), coded(b, codes)];
  const runs: ISameRun[] = [];
  const add = (a: number, b: number, length: number) => {
    if (length > 0) {
      runs.push({ a, b, length });
    }
  };
  let [atA, atB] = [0, 0];
  for (const { fromA, toA, toB } of diff(codedA, codedB, EFFORT)) {
    add(atA, atB, fromA - atA);
    [atA, atB] = [toA, toB];
  }
  add(atA, atB, codedA.length - atA);
  // Items beyond the codes share some, so that what looks the same may be none.
  return codes.size <= CODES ? runs : runs.flatMap(run => trulySame(run, a, b));
}

/** A list as a text with one character for each item. */
function coded(items: readonly string[], codes: Map<string, number>): string {
  return items
    .map(item => {
      let code = codes.get(item);
      if (code === undefined) {
        code = codes.size;
        codes.set(item, code);
      }
      const place = code % CODES;
      return String.fromCharCode(place < 0xd800 ? place : place + 0x800);
    })
    .join('');
}

function trulySame(
  run: ISameRun,
  a: readonly string[],
  b: readonly string[]
): ISameRun[] {
  const runs: ISameRun[] = [];
  let start = -1;
  for (let n = 0; n <= run.length; n++) {
    const same = n < run.length && a[run.a + n] === b[run.b + n];
    if (same && start < 0) {
      start = n;
    } else if (!same && start >= 0) {
      runs.push({ a: run.a + start, b: run.b + start, length: n - start });
      start = -1;
    }
  }
  return runs;
}
