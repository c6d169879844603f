/**
 * A reply joined from attempts that continue each other.
 *
 * The server joins by the same rules (`jupyterlab_turnbook/runs/joining.py`) to build the text it
 * asks the provider to continue; `golden-joins.json` in its tests holds cases for both.
 */
import type { GoesOn } from './run';

/** Where the text of another attempt starts in a reply. */
export interface ISeam {
  /** Offset in the reply's text, in UTF-16 code units. */
  at: number;
  /** How many characters that attempt repeated; the text has them once. */
  removed?: number;
}

/** A reply and where it was joined. */
export interface IJoined {
  text: string;
  seams: readonly ISeam[];
}

/** The text of one attempt. */
export interface IPart {
  text: string;
  /** How it was asked to continue; null if it started the reply. */
  goesOn: GoesOn | null;
  /** Whether it ran to its end. */
  whole: boolean;
}

/** A reply that is still empty. */
export const NOTHING: IJoined = { text: '', seams: [] };

const LONGEST_OVERLAP = 4000;
const LONGEST_PREFACE = 120;
const HEAD = 20;

// How many letters must match before it is no coincidence. A model instructed to continue often
// repeats its last words; one that continues from a prefill may legitimately say something twice.
const AGAIN = { prefill: 20, instruct: 10 };
const OVERLAP = { prefill: 12, instruct: 3 };

/**
 * Return the reply after one more attempt.
 *
 * A reply that starts over replaces the earlier text once it is complete or longer; an overlap is
 * dropped.
 */
export function joined(reply: IJoined, part: IPart): IJoined {
  const { text: before, seams } = reply;
  const { text: after, whole } = part;
  const how = part.goesOn ?? 'prefill';
  if (!before || !after) {
    return before ? reply : { text: after, seams: [] };
  }
  if (how === 'instruct' && !whole && before.includes(after)) {
    // So far it only repeats text we already have.
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

/** Whether further text can only extend the end of the joined reply. */
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
  // For example “Sorry! Here is all of it: …”.
  return place >= 0 && place <= LONGEST_PREFACE && letters(head) >= 6;
}

function overlap(before: string, after: string, how: GoesOn): number {
  const most = Math.min(before.length, after.length, LONGEST_OVERLAP);
  for (let size = most; size > 2; size--) {
    const start = before.length - size;
    if (
      // Cheap check first: the first character decides in most cases.
      before.charCodeAt(start) !== after.charCodeAt(0) ||
      !before.startsWith(after.slice(0, size), start)
    ) {
      continue;
    }
    const same = after.slice(0, size);
    const inside = /^[\p{L}\p{N}]{2}$/u.test(
      lastCharacter(before.slice(0, start)) + firstCharacter(same)
    );
    // A text that already says this twice may say it again.
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
