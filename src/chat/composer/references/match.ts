/** Finds what the user means by a few letters. */

/** A text that can be found: how it is compared. */
export interface IFindable {
  /** In lower case. */
  text: string;
}

/**
 * How well a text matches a query, both in lower case; lower is better, and null is not at all.
 *
 * A query that is in the text in one piece is better than one whose letters are only in order.
 */
export function matchCost(query: string, text: string): number | null {
  if (!query) {
    return 0;
  }
  const place = text.indexOf(query);
  if (place !== -1) {
    const begins = place === 0 || !isLetter(text, place - 1);
    return (begins ? 0 : 1000) + Math.min(place, 999);
  }
  // A letter may be two units long.
  const [first] = query;
  for (
    let start = text.indexOf(first), tried = 0;
    start !== -1 && tried < STARTS;
    start = text.indexOf(first, start + 1), tried++
  ) {
    const gaps = gapsFrom(start, query, text);
    // In a long text, letters in order are there by chance.
    if (gaps !== null && gaps <= 2 * query.length) {
      return 2000 + gaps;
    }
  }
  return null;
}

/** How many places are tried for a query whose letters are only in order. */
const STARTS = 8;

/** How many letters of a text are between those of a query, from a place on. */
function gapsFrom(start: number, query: string, text: string): number | null {
  let at = start - 1;
  let gaps = 0;
  for (const letter of query) {
    const next = text.indexOf(letter, at + 1);
    if (next === -1) {
      return null;
    }
    gaps += next - at - 1;
    at = next + letter.length - 1;
  }
  return gaps;
}

/**
 * What matches best, in order; the same cost keeps the order.
 *
 * @param how - The text to compare, if it is another, and whether an item can be listed at all. The latter
 * is asked only of those that match, so it may take a while.
 */
export function bestMatches<T extends IFindable>(
  items: Iterable<T>,
  query: string,
  limit: number,
  how: { textOf?: (item: T) => string; canList?: (item: T) => boolean } = {}
): T[] {
  const { textOf = ({ text }) => text, canList = () => true } = how;
  const wanted = query.toLowerCase();
  const found: { item: T; cost: number }[] = [];
  for (const item of items) {
    const cost = matchCost(wanted, textOf(item));
    if (cost === null) {
      continue;
    }
    const isFull = found.length === limit;
    if (isFull && (limit === 0 || cost >= found[limit - 1].cost)) {
      if (!wanted) {
        // Nothing that follows is better.
        break;
      }
      continue;
    }
    if (!canList(item)) {
      continue;
    }
    let place = found.length;
    while (place > 0 && found[place - 1].cost > cost) {
      place--;
    }
    found.splice(place, 0, { item, cost });
    found.length = Math.min(found.length, limit);
  }
  return found.map(({ item }) => item);
}

function isLetter(text: string, place: number): boolean {
  return /[\p{L}\p{N}]/u.test(text[place]);
}
