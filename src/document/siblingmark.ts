import { isObject } from '../base/json';

/** Which of several replies a run, a version or a reference is. */
export interface ISiblingMark {
  group: string;
  sibling: number;
}

/** The highest number of a reply among several; the server takes no other. */
export const MOST_SIBLING = 9999;

/** How many replies a message can have; the server takes no more at once. */
export const MOST_REPLIES = 32;

/** Read which of several replies something is; null if it is a single one. */
export function readSibling(value: unknown): ISiblingMark | null {
  if (!isObject(value)) {
    return null;
  }
  const { group, sibling } = value;
  return typeof group === 'string' &&
    group !== '' &&
    Number.isInteger(sibling) &&
    (sibling as number) >= 0 &&
    (sibling as number) <= MOST_SIBLING
    ? { group, sibling: sibling as number }
    : null;
}
