/** Long texts, read and sent only in part. */
import type { MultilineString } from '@jupyterlab/nbformat';

import { joinLines } from '../document/multiline';

/** How long a text that comes from a notebook may be, in characters. */
export const TEXT_LIMIT = 20_000;

/** How much of a text is read at all, however much shorter reading makes it. */
export const READ_LIMIT = 1_000_000;

/** How far a cut moves to the end of a line. */
const LINE = 200;

/** A place of a text at which characters are left out. */
export interface IGap {
  at: number;
  count: number;
}

/** A text of which parts may be left out. */
export interface IPartly {
  text: string;
  gaps: readonly IGap[];
}

/** The beginning and the end of a text, and how many characters are between them. */
export interface IEnds {
  head: string;
  tail: string;
  gone: number;
}

/** Cut a long text in the middle, and say there how much is left out. */
export function cutMiddle(
  text: string,
  limit = TEXT_LIMIT,
  gaps: readonly IGap[] = []
): string {
  if (text.length <= limit) {
    return withGaps(text, gaps);
  }
  const half = Math.floor(limit / 2);
  const start = text.slice(0, half);
  const end = text.slice(text.length - half);
  const stop = start.lastIndexOf('\n');
  const go = end.indexOf('\n');
  const head = stop >= half - LINE ? start.slice(0, stop) : whole(start);
  const tail = go !== -1 && go < LINE ? end.slice(go + 1) : whole(end);
  const to = text.length - tail.length;
  const gone = gaps
    .filter(({ at }) => at >= head.length && at <= to)
    .reduce((sum, { count }) => sum + count, to - head.length);
  const before = gaps.filter(({ at }) => at < head.length);
  const after = gaps
    .filter(({ at }) => at > to)
    .map(({ at, count }) => ({ at: at - to, count }));
  return `${withGaps(head, before)}\n${leftOut(gone)}\n${withGaps(tail, after)}`;
}

/** The parts of a text that may be cut, between those that are left out. */
export function partsOfCut(text: string): string[] {
  return text.split(/\n… [\d,]+ characters left out …\n/);
}

/** The ends of a text that is longer than so many characters; else all of it is its beginning. */
export function endsOf(value: MultilineString, limit: number): IEnds {
  const size = sizeOf(value);
  if (size <= limit) {
    return { head: joinLines(value), tail: '', gone: 0 };
  }
  const half = Math.floor(limit / 2);
  const start = firstOf(value, half);
  const end = lastOf(value, half);
  // Codes and what overwrites a line are within lines.
  const stop = start.lastIndexOf('\n') + 1;
  const go = end.indexOf('\n') + 1;
  const head = stop > half / 2 ? start.slice(0, stop) : whole(start);
  const tail = go > 0 && go < half / 2 ? end.slice(go) : whole(end);
  return { head, tail, gone: size - head.length - tail.length };
}

/** The length of a text. */
export function sizeOf(value: MultilineString): number {
  return typeof value === 'string'
    ? value.length
    : value.reduce((sum, line) => sum + line.length, 0);
}

/** Read a text in some way that takes a while; of a very long one, only its ends. */
export function readEnds(
  value: MultilineString,
  read: (part: string) => string
): IPartly {
  const { head, tail, gone } = endsOf(value, READ_LIMIT);
  const text = read(head);
  return gone
    ? { text: text + read(tail), gaps: [{ at: text.length, count: gone }] }
    : { text, gaps: [] };
}

/** Texts one after the other. */
export function joinPartly(
  parts: readonly IPartly[],
  between: string
): IPartly {
  let text = '';
  const gaps: IGap[] = [];
  parts.forEach((part, n) => {
    text += n ? between : '';
    gaps.push(
      ...part.gaps.map(({ at, count }) => ({ at: at + text.length, count }))
    );
    text += part.text;
  });
  return { text, gaps };
}

/** A text without the spaces around it. */
export function trimPartly({ text, gaps }: IPartly): IPartly {
  const trimmed = text.trim();
  const before = text.length - text.trimStart().length;
  return {
    text: trimmed,
    gaps: gaps.map(({ at, count }) => ({
      at: Math.min(Math.max(at - before, 0), trimmed.length),
      count
    }))
  };
}

/** A text that says where parts of it are left out. */
function withGaps(text: string, gaps: readonly IGap[]): string {
  let said = '';
  let from = 0;
  for (const { at, count } of gaps) {
    const before = said + text.slice(from, at);
    const isNew = !before || before.endsWith('\n');
    const isLast = text.startsWith('\n', at) || at >= text.length;
    said = `${before}${isNew ? '' : '\n'}${leftOut(count)}${isLast ? '' : '\n'}`;
    from = at;
  }
  return said + text.slice(from);
}

function leftOut(count: number): string {
  return `… ${count.toLocaleString('en')} characters left out …`;
}

function firstOf(value: MultilineString, length: number): string {
  if (typeof value === 'string') {
    return value.slice(0, length);
  }
  const lines: string[] = [];
  let size = 0;
  for (let n = 0; n < value.length && size < length; n++) {
    lines.push(value[n]);
    size += value[n].length;
  }
  return lines.join('').slice(0, length);
}

function lastOf(value: MultilineString, length: number): string {
  if (typeof value === 'string') {
    return value.slice(-length);
  }
  const lines: string[] = [];
  let size = 0;
  for (let n = value.length - 1; n >= 0 && size < length; n--) {
    lines.push(value[n]);
    size += value[n].length;
  }
  return lines.reverse().join('').slice(-length);
}

/** A piece of a text without halves of characters at its ends. */
function whole(piece: string): string {
  const start = /^[\uDC00-\uDFFF]/.test(piece.slice(0, 1)) ? 1 : 0;
  const end = /^[\uD800-\uDBFF]/.test(piece.slice(-1)) ? -1 : undefined;
  return piece.slice(start, end);
}
