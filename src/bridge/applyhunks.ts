/** Applying the hunks of a diff to a text. */
import type { IDiffLine, IHunk } from './unifieddiff';

/** A hunk that does not fit. */
export class HunkError extends Error {
  /**
   * @param hunk - Which one, from 0.
   * @param reason - Whether its lines are not there, are there several times, or it takes too long
   * to look for them.
   */
  constructor(
    readonly hunk: number,
    readonly reason: 'missing' | 'ambiguous' | 'long'
  ) {
    super(`Hunk ${hunk + 1} does not fit: ${reason}`);
  }
}

/** How many lines may be compared. */
const MAX_WORK = 20_000_000;

/** What some editors put before the text of a file. */
const BOM = '\ufeff';

/**
 * Apply hunks to a text; throws a `HunkError` if one of them does not fit.
 *
 * The old lines of a hunk have to be in the text exactly, at the line that it names or else as near
 * to it as they are. Only the ends of lines and a byte order mark may differ, since a reply cannot
 * show them: they stay as they are in the text, and new lines end as its lines do.
 */
export function applyHunks(text: string, hunks: readonly IHunk[]): string {
  const isShown = (mark: string) =>
    !text.includes(mark) || linesOf(hunks).some(line => line.includes(mark));
  if (!isShown('\r\n') || !isShown(BOM)) {
    return applyLoosely(text, hunks);
  }
  try {
    return apply(text, hunks, line => line);
  } catch (error) {
    if (!(error instanceof HunkError) || error.reason === 'long') {
      throw error;
    }
    return applyLoosely(text, hunks);
  }
}

function applyLoosely(text: string, hunks: readonly IHunk[]): string {
  const mark = text.startsWith(BOM) ? BOM : '';
  const old = text.slice(mark.length);
  const hasEnd = old === '' || old.endsWith('\n');
  const end = usualEnd(old);
  const added = (line: string) => bare(line) + end;
  const changed = apply(hasEnd ? old : old + end, hunks, bare, added);
  // A diff that says that a last line has no end says whether the new one has.
  const open = hunks
    .flatMap(({ lines }) => lines)
    .filter(line => !line.text.endsWith('\n'));
  const keepsEnd = open.length
    ? open.every(({ kind }) => kind === '-')
    : hasEnd;
  return mark + (keepsEnd ? changed : changed.replace(/\r?\n$/, ''));
}

/**
 * @param key - What is compared of a line.
 * @param added - A new line as it is written.
 */
function apply(
  text: string,
  hunks: readonly IHunk[],
  key: (line: string) => string,
  added: (line: string) => string = line => line
): string {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const keys = lines.map(key);
  const result: string[] = [];
  let done = 0;
  let drift = 0;
  let work = 0;
  const copyTo = (place: number) => {
    for (; done < place; done++) {
      result.push(lines[done]);
    }
  };
  hunks.forEach((hunk, index) => {
    const old = hunk.lines.filter(isOld).map(line => key(line.text));
    const fits = (place: number): boolean => {
      if (place < done || place + old.length > keys.length) {
        return false;
      }
      let n = 0;
      while (n < old.length && keys[place + n] === old[n]) {
        n++;
      }
      work += n + 1;
      if (work > MAX_WORK) {
        throw new HunkError(index, 'long');
      }
      return n === old.length;
    };
    const place = find(hunk, old.length, index);
    copyTo(place);
    for (const { kind, text } of hunk.lines) {
      if (kind !== '-') {
        result.push(kind === '+' ? added(text) : lines[done]);
      }
      if (kind !== '+') {
        done++;
      }
    }
    if (hunk.start !== null) {
      drift = place - (hunk.start - 1);
    }

    function find({ start }: IHunk, length: number, index: number): number {
      if (start === null) {
        return findOnly(length, index);
      }
      const wanted = start - 1 + drift;
      if (length === 0) {
        // Nothing says where but the number.
        if (fits(wanted)) {
          return wanted;
        }
        throw new HunkError(index, 'missing');
      }
      const farthest = Math.max(wanted - done, keys.length - wanted);
      for (let far = 0; far <= farthest; far++) {
        for (const place of [wanted - far, wanted + far]) {
          if (fits(place)) {
            return place;
          }
        }
      }
      throw new HunkError(index, 'missing');
    }

    function findOnly(length: number, index: number): number {
      const places: number[] = [];
      for (let place = done; place + length <= keys.length; place++) {
        if (fits(place)) {
          places.push(place);
        }
      }
      if (places.length !== 1) {
        throw new HunkError(index, places.length ? 'ambiguous' : 'missing');
      }
      return places[0];
    }
  });
  copyTo(lines.length);
  const isLast = (place: number) => place === result.length - 1;
  if (!result.every((line, place) => isLast(place) || line.endsWith('\n'))) {
    // A line without an end is the last one of a file.
    throw new HunkError(hunks.length - 1, 'missing');
  }
  return result.join('');
}

function isOld({ kind }: IDiffLine): boolean {
  return kind !== '+';
}

function linesOf(hunks: readonly IHunk[]): string[] {
  return hunks.flatMap(({ lines }) => lines.map(({ text }) => text));
}

/** How most lines of a text end. */
function usualEnd(text: string): string {
  const count = (end: RegExp) => text.match(end)?.length ?? 0;
  return 2 * count(/\r\n/g) > count(/\n/g) ? '\r\n' : '\n';
}

/** A line without its end and without a byte order mark. */
function bare(line: string): string {
  return line
    .replace(/^\ufeff/, '')
    .replace(/\r?\n$/, '')
    .replace(/\r$/, '');
}
