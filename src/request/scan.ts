/** The exact texts of values inside valid JSON text. */
import type { IMember } from './model';

/** The members of an object given as valid JSON text, with the exact text of each value. */
export function membersOf(text: string): IMember[] {
  const members: IMember[] = [];
  let at = skipSpace(text, 0) + 1;
  for (;;) {
    at = skipSpace(text, at);
    if (text[at] === '}') {
      return members;
    }
    if (text[at] === ',') {
      at = skipSpace(text, at + 1);
    }
    const afterKey = skipValue(text, at);
    const key = JSON.parse(text.slice(at, afterKey)) as string;
    const start = skipSpace(text, skipSpace(text, afterKey) + 1);
    at = skipValue(text, start);
    members.push({ key, json: text.slice(start, at) });
  }
}

/** The exact texts of the items of an array given as valid JSON text. */
export function itemsOf(text: string): string[] {
  const items: string[] = [];
  let at = skipSpace(text, 0) + 1;
  for (;;) {
    at = skipSpace(text, at);
    if (text[at] === ']') {
      return items;
    }
    const start = text[at] === ',' ? skipSpace(text, at + 1) : at;
    at = skipValue(text, start);
    items.push(text.slice(start, at));
  }
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
