/** Marks in texts where they differ, by word or by line. */
import { beginning } from '../request/inspect';
import { sameRuns } from './samesequence';

/** By what texts are compared. */
export type Unit = 'word' | 'line';

/** A piece of a text; the pieces of a text add up to it. */
export interface IPiece {
  readonly text: string;
  /** Whether it differs. */
  readonly marked: boolean;
}

/** Longer texts are compared and shown up to here, in characters. */
export const CUT = 100_000;

// Words of scripts without spaces are compared character by character.
const WORDS =
  /\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}\p{M}_])+|./gsu;
const LINES = /[^\n]*\n|[^\n]+/g;

/**
 * The texts of a row in pieces: of the base, what is not in all the others; of the others, what is
 * not in the base.
 *
 * @param texts - The text of each side; null if it has none there.
 * @param base - The index of the side that the others are compared with.
 */
export function markTexts(
  texts: readonly (string | null)[],
  base: number,
  unit: Unit
): (readonly IPiece[] | null)[] {
  const split = texts.map(text => (text === null ? null : tokens(text, unit)));
  const marks = split.map(
    list => list && new Array<boolean>(list.length).fill(true)
  );
  const [main, mainMarks] = [split[base], marks[base]];
  if (main && mainMarks) {
    const others = split.flatMap((list, side) =>
      list && side !== base ? [{ list, marks: marks[side]! }] : []
    );
    const held = new Array<number>(main.length).fill(0);
    for (const other of others) {
      for (const { a, b, length } of sameRuns(main, other.list)) {
        other.marks.fill(false, b, b + length);
        for (let at = a; at < a + length; at++) {
          held[at]++;
        }
      }
    }
    main.forEach((_, at) => {
      mainMarks[at] = held[at] < others.length;
    });
  }
  return split.map((list, side) => list && piecesOf(list, marks[side]!));
}

/** Two texts as one, line by line: what both have, what is gone, and what is new. */
export function lineDiff(before: string, after: string): string {
  const [a, b] = [tokens(before, 'line'), tokens(after, 'line')];
  const lines: string[] = [];
  const add = (sign: string, list: readonly string[]) =>
    lines.push(...list.map(line => sign + line.replace(/\n$/, '')));
  let [atA, atB] = [0, 0];
  for (const run of [
    ...sameRuns(a, b),
    { a: a.length, b: b.length, length: 0 }
  ]) {
    add('-', a.slice(atA, run.a));
    add('+', b.slice(atB, run.b));
    [atA, atB] = [run.a + run.length, run.b + run.length];
    add(' ', a.slice(run.a, atA));
  }
  return lines.join('\n');
}

/** The part of a text that is compared. */
export function cutText(text: string): string {
  return text.length > CUT ? beginning(text, CUT) : text;
}

function tokens(text: string, unit: Unit): string[] {
  return cutText(text).match(unit === 'word' ? WORDS : LINES) ?? [];
}

function piecesOf(
  list: readonly string[],
  marks: readonly boolean[]
): IPiece[] {
  const pieces: { text: string[]; marked: boolean }[] = [];
  list.forEach((text, at) => {
    const last = pieces[pieces.length - 1];
    if (last?.marked === marks[at]) {
      last.text.push(text);
    } else {
      pieces.push({ text: [text], marked: marks[at] });
    }
  });
  return pieces.map(({ text, marked }) => ({ text: text.join(''), marked }));
}
