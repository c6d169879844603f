/** The exact texts of values inside valid JSON text. */
import type { IMember, LeafPath } from './model';

/** A value in an object or a list, and where it is in the text. */
export interface IPart {
  /** Its key, or its place in the list. */
  readonly key: string | number;
  readonly from: number;
  readonly to: number;
}

/** The members of an object given as valid JSON text, with the exact text of each value. */
export function membersOf(text: string): IMember[] {
  return partsOf(text).map(({ key, from, to }) => ({
    key: `${key}`,
    json: text.slice(from, to)
  }));
}

/** The exact texts of the items of an array given as valid JSON text. */
export function itemsOf(text: string): string[] {
  return partsOf(text).map(({ from, to }) => text.slice(from, to));
}

/**
 * What is in the object or list at an offset of valid JSON text, in order; nothing if there is
 * another value.
 */
export function partsOf(text: string, offset = 0): IPart[] {
  const parts: IPart[] = [];
  let at = skipSpace(text, offset);
  const close = text[at] === '{' ? '}' : text[at] === '[' ? ']' : null;
  if (close === null) {
    return parts;
  }
  for (at += 1; ;) {
    at = skipSpace(text, at);
    if (text[at] === close) {
      return parts;
    }
    if (text[at] === ',') {
      at = skipSpace(text, at + 1);
    }
    let key: string | number = parts.length;
    if (close === '}') {
      const afterKey = skipValue(text, at);
      key = JSON.parse(text.slice(at, afterKey)) as string;
      at = skipSpace(text, skipSpace(text, afterKey) + 1);
    }
    const from = at;
    at = skipValue(text, from);
    parts.push({ key, from, to: at });
  }
}

/**
 * Where the value at a path is in valid JSON text, or the innermost existing value around it. Of
 * duplicate keys, the last one counts.
 */
export function rangeAt(
  text: string,
  path: LeafPath
): { from: number; to: number } {
  const from = skipSpace(text, 0);
  let range = { from, to: skipValue(text, from) };
  for (const step of path) {
    const part = partsOf(text, range.from)
      .filter(({ key }) => `${key}` === `${step}`)
      .pop();
    if (!part) {
      break;
    }
    range = { from: part.from, to: part.to };
  }
  return range;
}

function skipSpace(text: string, at: number): number {
  while (' \t\n\r'.includes(text[at] ?? '-')) {
    at += 1;
  }
  return at;
}

function skipValue(text: string, at: number): number {
  if (text[at] === '"') {
    return skipString(text, at);
  }
  if (text[at] !== '{' && text[at] !== '[') {
    while (at < text.length && !',]} \t\n\r'.includes(text[at])) {
      at += 1;
    }
    return at;
  }
  for (let depth = 0; ;) {
    const char = text[at];
    if (char === '"') {
      at = skipString(text, at);
      continue;
    }
    at += 1;
    if (char === '{' || char === '[') {
      depth += 1;
    } else if ((char === '}' || char === ']') && --depth === 0) {
      return at;
    }
  }
}

function skipString(text: string, at: number): number {
  for (at += 1; text[at] !== '"'; at += 1) {
    if (text[at] === '\\') {
      at += 1;
    }
  }
  return at + 1;
}
