import type { PartialJSONObject } from '@lumino/coreutils';

/** Whether a value that anybody may have written is a JSON object. */
export function isObject(value: unknown): value is PartialJSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
