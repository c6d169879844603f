/**
 * Places inside JSON values.
 */
import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

import { isObject } from '../../document/json';
import type { LeafPath } from '../model';

/** A place as people write it: `tool_calls[0].function.name`. */
export function pathName(path: LeafPath): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : index ? `.${step}` : step
    )
    .join('');
}

/** A copy of a value with another one at a place; undefined takes the place away. */
export function withValue(
  value: PartialJSONValue,
  path: LeafPath,
  next: PartialJSONValue | undefined
): PartialJSONValue {
  if (!path.length) {
    return next as PartialJSONValue;
  }
  const [step, ...rest] = path;
  if (Array.isArray(value)) {
    const copy = [...value] as PartialJSONValue[];
    if (!rest.length && next === undefined) {
      copy.splice(step as number, 1);
    } else {
      copy[step as number] = withValue(copy[step as number], rest, next);
    }
    return copy;
  }
  const copy: PartialJSONObject = { ...(value as PartialJSONObject) };
  if (!rest.length && next === undefined) {
    delete copy[step];
  } else {
    copy[step] = withValue(copy[step] as PartialJSONValue, rest, next);
  }
  return copy;
}

/** The value at a place; undefined if there is no such place. */
export function valueAt(
  value: PartialJSONValue | undefined,
  path: LeafPath
): PartialJSONValue | undefined {
  let found: PartialJSONValue | undefined = value;
  for (const step of path) {
    if (Array.isArray(found)) {
      found = found[step as number] as PartialJSONValue | undefined;
    } else if (isObject(found)) {
      found = found[step] as PartialJSONValue | undefined;
    } else {
      return undefined;
    }
  }
  return found;
}

/** What a text says if it is JSON with parts, such as the arguments of a tool; else null. */
export function encodedJson(text: string): PartialJSONValue | null {
  if (!/^\s*[[{]/.test(text) || text.length > MAX_ENCODED) {
    return null;
  }
  try {
    return JSON.parse(text) as PartialJSONValue;
  } catch (error) {
    if (error instanceof SyntaxError) {
      return null;
    }
    throw error;
  }
}

/** Longer texts are not looked into. */
const MAX_ENCODED = 200_000;
