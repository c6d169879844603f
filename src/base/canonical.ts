import type { PartialJSONValue } from '@lumino/coreutils';

import { isObject } from './json';

/** JSON with sorted keys and no spaces: the same value is always the same text. */
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
