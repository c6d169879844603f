/**
 * A pair's entry of marks: its content, and how it is changed.
 *
 * A mark at its default is not stored.
 */
import { JSONExt, type PartialJSONObject } from '@lumino/coreutils';

import { isObject } from '../base/json';
import { normaliseTopic } from '../filter/topics';
import type { IMarks } from './metadata';

/** The highest star. */
const MAX_STAR = 3;

/** The default marks of a pair. */
export const NO_MARKS: Readonly<Required<IMarks>> = {
  topic: '',
  star: 0,
  in: true
};

/** A topic as it is stored: normalised, and without `*`, which means "any" in a filter. */
export function storedTopic(text: string): string {
  return normaliseTopic(text.normalize('NFC').replaceAll('*', ''));
}

/** The star after this one; the highest is followed by none. */
export function nextStar(star: number): number {
  return (star + 1) % (MAX_STAR + 1);
}

/**
 * A cell's entry with marks changed.
 *
 * Other content of the entry stays; an entry that is not an object is replaced.
 */
export function withMarks(entry: unknown, change: IMarks): PartialJSONObject {
  const after: PartialJSONObject = isObject(entry) ? { ...entry } : {};
  const { topic, star } = change;
  if (topic !== undefined) {
    put(after, 'topic', storedTopic(topic));
  }
  if (star !== undefined) {
    const whole = Number.isFinite(star) ? Math.round(star) : 0;
    put(after, 'star', Math.min(MAX_STAR, Math.max(0, whole)));
  }
  if (change.in !== undefined) {
    put(after, 'in', change.in);
  }
  return after;
}

/** Whether an entry equals one that is about to be stored. */
export function sameEntry(before: unknown, after: PartialJSONObject): boolean {
  return before === undefined
    ? Object.keys(after).length === 0
    : isObject(before) && JSONExt.deepEqual(before, after);
}

function put<K extends keyof IMarks>(
  entry: PartialJSONObject,
  key: K,
  value: Required<IMarks>[K]
): void {
  if (value === NO_MARKS[key]) {
    delete entry[key];
  } else {
    entry[key] = value;
  }
}
