/**
 * A reply joined from the attempts that went on from each other.
 *
 * The server joins by the same rules (`jupyterlab_turnbook/runs/joining.py`), for what it asks the
 * provider to go on from; `golden-joins.json` in its tests holds cases for both.
 */
import type { GoesOn } from './run';

/** Where the text of another attempt begins in a reply. */
export interface ISeam {
  /** Offset in the reply's text, in UTF-16 code units. */
  at: number;
  /** How many characters that attempt repeated; they are in the text once. */
  removed?: number;
}

/** A reply and where it was joined. */
export interface IJoined {
  text: string;
  seams: readonly ISeam[];
}

/** What one attempt brought. */
export interface IPart {
  text: string;
  /** How it was asked to go on; null for one that began. */
  goesOn: GoesOn | null;
  /** Whether it came to its end. */
  whole: boolean;
}

/** A reply of which nothing has come. */
export const NOTHING: IJoined = { text: '', seams: [] };

const LONGEST_OVERLAP = 4000;
const LONGEST_PREFACE = 120;
const HEAD = 20;

// How many letters must be the same before that is no chance. A model that was told to go on often
// takes up its last words again; one that goes on by itself may well say something twice.
const AGAIN = { prefill: 20, instruct: 10 };
const OVERLAP = { prefill: 12, instruct: 3 };

/**
 * The reply after one more attempt.
 *
 * A reply that begins again replaces what was there, once it is whole or got further; an overlap is
 * left out.
 */
export function joined(reply: IJoined, part: IPart): IJoined {
  const { text: before, seams } = reply;
  const { text: after, whole } = part;
  const how = part.goesOn ?? 'prefill';
  if (!before || !after) {
    return before ? reply : { text: after, seams: [] };
  }
  if (how === 'instruct' && !whole && before.includes(after)) {
    // So far it has only taken up again what was there.
    return reply;
  }
  if (beginsAgain(before, after, how)) {
    return whole || after.length > before.length
      ? { text: after, seams: [] }
      : reply;
  }
  const at = before.length;
  for (const text of [after, after.trimStart()]) {
    const size = overlap(before, text, how);
    if (size) {
      const removed = after.length - text.length + size;
      return {
        text: before + text.slice(size),
        seams: [...seams, { at, removed }]
      };
    }
  }
  return { text: before + after, seams: [...seams, { at }] };
}

/** Whether more text can only be added at the end of a reply that was joined like this. */
export function isSettled(before: string, after: string): boolean {
  const looked = LONGEST_PREFACE + before.length;
  return !before || after.length > looked;
}

function beginsAgain(before: string, after: string, how: GoesOn): boolean {
  const shared = common(before, after);
  const least = shared === before.length ? 3 : AGAIN[how];
  if (letters(after.slice(0, shared)) >= least) {
    return true;
  }
  const head = headOf(before);
  const place = how === 'instruct' ? after.indexOf(head) : -1;
  // “Sorry! Here is all of it: …”
  return place >= 0 && place <= LONGEST_PREFACE && letters(head) >= 6;
}

function overlap(before: string, after: string, how: GoesOn): number {
  const most = Math.min(before.length, after.length, LONGEST_OVERLAP);
  for (let size = most; size > 2; size--) {
    const start = before.length - size;
    if (
      // The first character tells in most cases.
      before.charCodeAt(start) !== after.charCodeAt(0) ||
      !before.startsWith(after.slice(0, size), start)
    ) {
      continue;
    }
    const same = after.slice(0, size);
    const inside = /^[\p{L}\p{N}]{2}$/u.test(
      lastCharacter(before.slice(0, start)) + firstCharacter(same)
    );
    // What the text says twice anyway, it may say once more.
    const saidBefore = before.indexOf(same) < start;
    if (
      letters(same) >= OVERLAP[how] &&
      !inside &&
      !saidBefore &&
      !repeats(same)
    ) {
      return size;
    }
  }
  return 0;
}

function repeats(text: string): boolean {
  return (text + text).indexOf(text, 1) < text.length;
}

function common(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  let n = 0;
  while (n < shorter && one.charCodeAt(n) === other.charCodeAt(n)) {
    n++;
  }
  return n;
}

function headOf(text: string): string {
  let count = 0;
  let end = 0;
  for (const character of text) {
    end += character.length;
    count += letters(character);
    if (count === HEAD) {
      break;
    }
  }
  return text.slice(0, end);
}

function letters(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

function firstCharacter(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 32);
}

function lastCharacter(text: string): string {
  return text.match(/.$/su)?.[0] ?? ' ';
}
