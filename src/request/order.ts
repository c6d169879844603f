/** The order of a request's sections after moves. */
import type { IMove } from './edits';

/** Apply moves one after the other; moves of missing sections are skipped. */
export function applyMoves(
  ids: readonly string[],
  moves: readonly IMove[]
): string[] {
  const order = [...ids];
  for (const { section, before, after } of moves) {
    const from = order.indexOf(section);
    if (from === -1) {
      continue;
    }
    order.splice(from, 1);
    order.splice(placeOf(order, before, after), 0, section);
  }
  return order;
}

/** The fewest moves from one order to another of the same ids. */
export function movesBetween(
  from: readonly string[],
  to: readonly string[]
): IMove[] {
  const place = new Map(from.map((id, index) => [id, index]));
  const staying = longestRise(to.map(id => place.get(id) ?? -1));
  const moves: IMove[] = [];
  for (let n = to.length - 1; n >= 0; n--) {
    if (!staying.has(n)) {
      moves.push({
        section: to[n],
        before: to[n + 1] ?? null,
        after: to[n - 1] ?? null
      });
    }
  }
  return moves;
}

function placeOf(
  order: readonly string[],
  before: string | null,
  after: string | null
): number {
  const next = before === null ? -1 : order.indexOf(before);
  if (next !== -1) {
    return next;
  }
  const previous = after === null ? -1 : order.indexOf(after);
  return before === null || previous === -1 ? order.length : previous + 1;
}

/** The positions of the longest increasing subsequence. */
function longestRise(values: readonly number[]): Set<number> {
  const ends: number[] = [];
  const before: number[] = [];
  values.forEach((value, n) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[ends[middle]] < value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    before[n] = low > 0 ? ends[low - 1] : -1;
    ends[low] = n;
  });
  const rise = new Set<number>();
  for (let n = ends[ends.length - 1] ?? -1; n !== -1; n = before[n]) {
    rise.add(n);
  }
  return rise;
}
