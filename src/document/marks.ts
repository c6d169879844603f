/**
 * The user's marks on pairs: topic, star, in or out.
 *
 * A mark at its default is not stored. Marking is one step of undo, however many pairs it is for.
 */
import type { ISharedCell, ISharedNotebook } from '@jupyter/ydoc';
import { JSONExt, type PartialJSONObject } from '@lumino/coreutils';

import { normaliseTopic } from '../filter/topics';
import { KEYS, readMarks, type IMarks } from './metadata';

/** The highest star. */
export const MAX_STAR = 3;

/** The marks of a cell, with their defaults. */
export function marksOf(cell: ISharedCell): Required<IMarks> {
  return {
    topic: '',
    star: 0,
    in: true,
    ...readMarks(cell.getMetadata(KEYS.marks))
  };
}

/** A topic as it is stored: in its one form, and without `*`, which means "any" in a filter. */
export function storedTopic(text: string): string {
  return normaliseTopic(text.normalize('NFC').replaceAll('*', ''));
}

/** The star after this one; after the highest comes none. */
export function nextStar(star: number): number {
  return (star + 1) % (MAX_STAR + 1);
}

/** Give all pairs among these cells the star that comes after that of the first. */
export function cycleStar(
  notebook: ISharedNotebook,
  cells: Iterable<ISharedCell>
): void {
  const pairs = pairsOf(cells);
  if (pairs.length) {
    setMarks(notebook, pairs, { star: nextStar(marksOf(pairs[0]).star) });
  }
}

/** Mark all pairs among these cells as out if any is in, else as in. */
export function toggleIn(
  notebook: ISharedNotebook,
  cells: Iterable<ISharedCell>
): void {
  const pairs = pairsOf(cells);
  setMarks(notebook, pairs, { in: !pairs.some(cell => marksOf(cell).in) });
}

/** Set the topic of all pairs among these cells; an empty one takes it away. */
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
  const changes = pairsOf(cells)
    .map(cell => {
      const before = cell.getMetadata(KEYS.marks);
      return { cell, before, after: withMarks(before, change) };
    })
    .filter(({ before, after }) => !sameEntry(before, after));
  if (!changes.length) {
    return;
  }
  notebook.transact(() => {
    for (const { cell, after } of changes) {
      if (Object.keys(after).length) {
        cell.setMetadata(KEYS.marks, after);
      } else {
        cell.deleteMetadata(KEYS.marks);
      }
    }
  });
}

/**
 * A cell's entry with marks changed.
 *
 * What else the entry holds is not ours and stays; an entry that is no object gives way.
 */
export function withMarks(entry: unknown, change: IMarks): PartialJSONObject {
  const after: PartialJSONObject = isEntry(entry) ? { ...entry } : {};
  const { topic, star } = change;
  if (topic !== undefined) {
    put(after, 'topic', storedTopic(topic), '');
  }
  if (star !== undefined) {
    const whole = Number.isFinite(star) ? Math.round(star) : 0;
    put(after, 'star', Math.min(MAX_STAR, Math.max(0, whole)), 0);
  }
  if (change.in !== undefined) {
    put(after, 'in', change.in, true);
  }
  return after;
}

function put<T extends string | number | boolean>(
  entry: PartialJSONObject,
  key: keyof IMarks,
  value: T,
  usual: T
): void {
  if (value === usual) {
    delete entry[key];
  } else {
    entry[key] = value;
  }
}

function pairsOf(cells: Iterable<ISharedCell>): ISharedCell[] {
  return [...cells].filter(cell => cell.cell_type === 'code');
}

function sameEntry(before: unknown, after: PartialJSONObject): boolean {
  return before === undefined
    ? Object.keys(after).length === 0
    : isEntry(before) && JSONExt.deepEqual(before, after);
}

function isEntry(value: unknown): value is PartialJSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
