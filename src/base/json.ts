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

/** A value as a shared document can hold it. */
export function storable<T extends PartialJSONValue>(value: T): T;
export function storable(value: PartialJSONValue): PartialJSONValue {
  if (typeof value === 'string') {
    return wellFormed(value);
  }
  if (Array.isArray(value)) {
    return value.map(storable);
  }
  if (!isObject(value)) {
    return value;
  }
  const entries = Object.entries(value)
    .filter(([key]) => key !== '__proto__')
    .map(([key, item]) => [wellFormed(key), storable(item ?? null)] as const);
  return Object.fromEntries(entries);
}
