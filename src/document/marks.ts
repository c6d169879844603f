/**
 * The user's marks on pairs: topic, star, in or out.
 *
 * Marking is one undo step, for any number of pairs.
 */
import type { ISharedCell, ISharedNotebook } from '@jupyter/ydoc';

import { nextStar, NO_MARKS } from './markentry';
import type { IMarks } from './metadata';
import { Pair } from './pair';

/** The marks of a cell, with defaults; only pairs have others. */
export function marksOf(cell: ISharedCell): Required<IMarks> {
  return Pair.of(cell)?.marks ?? { ...NO_MARKS };
}

/** Give all pairs among these cells the star after that of the first. */
export function cycleStar(
  notebook: ISharedNotebook,
  cells: Iterable<ISharedCell>
): void {
  const pairs = pairsOf(cells);
  if (pairs.length) {
    markAll(notebook, pairs, { star: nextStar(pairs[0].marks.star) });
  }
}

/** Mark all pairs among these cells as out if any is in, else as in. */
export function toggleIn(
  notebook: ISharedNotebook,
  cells: Iterable<ISharedCell>
): void {
  const pairs = pairsOf(cells);
  markAll(notebook, pairs, { in: !pairs.some(({ marks }) => marks.in) });
}

/** Set the topic of all pairs among these cells; an empty one removes it. */
export function setTopic(
  notebook: ISharedNotebook,
  cells: Iterable<ISharedCell>,
  topic: string
): void {
  setMarks(notebook, cells, { topic });
}

/** Set the given marks of all pairs among these cells; other marks stay. */
export function setMarks(
  notebook: ISharedNotebook,
  cells: Iterable<ISharedCell>,
  change: IMarks
): void {
  markAll(notebook, pairsOf(cells), change);
}

function markAll(
  notebook: ISharedNotebook,
  pairs: readonly Pair[],
  change: IMarks
): void {
  notebook.transact(() => pairs.forEach(pair => pair.mark(change)));
}

function pairsOf(cells: Iterable<ISharedCell>): Pair[] {
  return [...cells].flatMap(cell => Pair.of(cell) ?? []);
}
