import type { PartialJSONValue } from '@lumino/coreutils';

import { isObject } from './json';

/** Serialise JSON with sorted keys and no spaces, so that equal values give equal text. */
export function canonical(value: PartialJSONValue): string {
  if (Array.isArray(value)) {
    return `[${value.map(item => canonical(item ?? null)).join(',')}]`;
  }
  if (isObject(value)) {
    const keys = Object.keys(value)
      .filter(key => value[key] !== undefined)
      .sort();
    return `{${keys
      .map(key => `${JSON.stringify(key)}:${canonical(value[key]!)}`)
      .join(',')}}`;
  }
  return JSON.stringify(value);
}
