import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

/** Whether an untrusted value is a JSON object. */
export function isObject(value: unknown): value is PartialJSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const HALF = /\p{Surrogate}/u;
const HALVES = /\p{Surrogate}/gu;

/** Whether a text has a lone surrogate, which neither a file nor Yjs can store. */
export function hasHalves(text: string): boolean {
  return HALF.test(text);
}

/** Replace lone surrogates, as Yjs does when it stores a text. */
export function wellFormed(text: string): string {
  return hasHalves(text) ? text.replace(HALVES, '\ufffd') : text;
}

/** Replace lone surrogates in all texts and keys of a value. */
export function wellFormedJSON<T extends PartialJSONValue>(value: T): T;
export function wellFormedJSON(value: PartialJSONValue): PartialJSONValue {
  if (typeof value === 'string') {
    return wellFormed(value);
  }
  return rebuilt(value, wellFormed, wellFormedJSON);
}

/**
 * Make a value safe for a shared document; `restored` brings the original keys back.
 *
 * Documents are copied key by key, and assigning `__proto__` creates no key. So `__proto__` gets
 * another `_` in front, and so does any key that looks like an escaped one.
 */
export function storable<T extends PartialJSONValue>(value: T): T;
export function storable(value: PartialJSONValue): PartialJSONValue {
  return rebuilt(
    typeof value === 'string' ? wellFormed(value) : value,
    key => wellFormed(key).replace(PROTO, '_$&'),
    storable
  );
}

/** Undo the key escaping of `storable`. */
export function restored<T extends PartialJSONValue>(value: T): T;
export function restored(value: PartialJSONValue): PartialJSONValue {
  return rebuilt(value, key => key.replace(STORED_PROTO, ''), restored);
}

const PROTO = /^_+_proto__$/;
const STORED_PROTO = /^_(?=_+_proto__$)/;

function rebuilt(
  value: PartialJSONValue,
  ofKey: (key: string) => string,
  ofItem: (item: PartialJSONValue) => PartialJSONValue
): PartialJSONValue {
  if (Array.isArray(value)) {
    return value.map(ofItem);
  }
  if (!isObject(value)) {
    return value;
  }
  const entries = Object.entries(value).map(
    ([key, item]) => [ofKey(key), ofItem(item ?? null)] as const
  );
  // Unlike assignment, this creates an own key even for `__proto__`.
  return Object.fromEntries(entries);
}

/** How deep JSON within a text may be nested: `JSON.stringify` fails on what is far deeper. */
const DEEPEST = 200;

/** Whether a JSON text is nested so deep that what is parsed from it could not be written again. */
export function isDeepJSON(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (letter === '"') {
      at = stringEnd(text, at);
    } else if (letter === '[' || letter === '{') {
      depth++;
      if (depth > DEEPEST) {
        return true;
      }
    } else if (letter === ']' || letter === '}') {
      depth--;
    }
  }
  return false;
}

/** Where a string in JSON ends that starts here; strings may be long. */
function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) {
    end = text.indexOf('"', end + 1);
  }
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === '\\') {
    before--;
  }
  return (at - before) % 2 === 1;
}
