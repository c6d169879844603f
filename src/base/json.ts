import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

/** Whether a value that anybody may have written is a JSON object. */
export function isObject(value: unknown): value is PartialJSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const HALF = /\p{Surrogate}/u;
const HALVES = /\p{Surrogate}/gu;

/** Whether a text has half of a character, which neither a file nor Yjs can keep. */
export function hasHalves(text: string): boolean {
  return HALF.test(text);
}

/** Replaces lone surrogates, as Yjs does when it stores a text. */
export function wellFormed(text: string): string {
  return hasHalves(text) ? text.replace(HALVES, '\ufffd') : text;
}

/** A value without halves of characters, in its texts and in its keys. */
export function wellFormedJSON<T extends PartialJSONValue>(value: T): T;
export function wellFormedJSON(value: PartialJSONValue): PartialJSONValue {
  if (typeof value === 'string') {
    return wellFormed(value);
  }
  return rebuilt(value, wellFormed, wellFormedJSON);
}

/**
 * A value as a shared document can hold it; `restored` has its keys as they were.
 *
 * Documents are copied key by key, and to assign `__proto__` makes no key. So it gets one more `_`
 * in front, and so does a key that looks like what that gives.
 */
export function storable<T extends PartialJSONValue>(value: T): T;
export function storable(value: PartialJSONValue): PartialJSONValue {
  return rebuilt(
    typeof value === 'string' ? wellFormed(value) : value,
    key => wellFormed(key).replace(PROTO, '_$&'),
    storable
  );
}

/** What `storable` made storable, with its keys as they were. */
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
  // Unlike assigning, this makes an own key of `__proto__` too.
  return Object.fromEntries(entries);
}
