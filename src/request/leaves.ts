/** Values inside messages, addressed by path; nothing is changed in place. */
import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

import { fingerprint } from '../context/tokens';
import { isObject } from '../base/json';
import type { ILeaf, LeafPath } from './model';

type Value = PartialJSONValue | undefined;

/** The value at a path; undefined if there is none. */
export function valueAt(value: Value, path: LeafPath): Value {
  let at: Value = value;
  for (const step of path) {
    if (Array.isArray(at) && typeof step === 'number') {
      at = at[step];
    } else if (isObject(at) && Object.hasOwn(at, step)) {
      at = at[step];
    } else {
      return undefined;
    }
  }
  return at;
}

/**
 * Return the value with another one at a path; undefined removes what is there.
 *
 * Only the containers along the path are copied. Returns null if the path does not exist.
 */
export function withValue(
  value: Value,
  path: LeafPath,
  next: Value
): PartialJSONValue | null {
  if (!path.length) {
    return next ?? null;
  }
  const [step, ...rest] = path;
  if (Array.isArray(value) && typeof step === 'number') {
    return inArray(value, step, rest, next);
  }
  if (!isObject(value) || typeof step !== 'string') {
    return null;
  }
  return inObject(value, step, rest, next);
}

/** A path as people write it: `tool_calls[0].function.name`. */
export function pathName(path: LeafPath): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : index ? `.${step}` : step
    )
    .join('');
}

/** All values that have no parts of their own, in order. */
export function leavesOf(value: Value, path: LeafPath = []): ILeaf[] {
  if (Array.isArray(value) && value.length) {
    return value.flatMap((item, index) => leavesOf(item, [...path, index]));
  }
  if (isObject(value) && Object.keys(value).length) {
    return Object.entries(value).flatMap(([key, item]) =>
      leavesOf(item, [...path, key])
    );
  }
  return value === undefined ? [] : [{ path, value }];
}

/** A hash of a value; equal JSON has equal hashes. */
export function valueHash(value: Value): string {
  return value === undefined
    ? 'none'
    : typeof value === 'string'
      ? `s${fingerprint(value)}`
      : `j${fingerprint(JSON.stringify(value))}`;
}

/** Whether two values are the same JSON, including the order of keys. */
export function sameJSON(a: Value, b: Value): boolean {
  return (
    a === b ||
    (typeof a === 'object' &&
      typeof b === 'object' &&
      JSON.stringify(a) === JSON.stringify(b))
  );
}

/** The smallest changes from one value to another that keep the order of keys. */
export function differences(
  from: Value,
  to: Value,
  path: LeafPath = []
): [LeafPath, Value][] {
  if (sameJSON(from, to)) {
    return [];
  }
  if (Array.isArray(from) && Array.isArray(to) && from.length === to.length) {
    return to.flatMap((item, n) => differences(from[n], item, [...path, n]));
  }
  if (isObject(from) && isObject(to)) {
    const kept = Object.keys(from).filter(key => Object.hasOwn(to, key));
    const fresh = Object.keys(to).filter(key => !Object.hasOwn(from, key));
    const gone = Object.keys(from).filter(key => !Object.hasOwn(to, key));
    const order = [...kept, ...fresh];
    // Removing a key and setting it again would move it to the end.
    if (Object.keys(to).every((key, n) => key === order[n])) {
      return [
        ...gone.map((key): [LeafPath, undefined] => [
          [...path, key],
          undefined
        ]),
        ...order.flatMap(key =>
          differences(valueAt(from, [key]), valueAt(to, [key]), [...path, key])
        )
      ];
    }
  }
  return [[path, to]];
}

function inArray(
  value: readonly PartialJSONValue[],
  step: number,
  rest: LeafPath,
  next: Value
): PartialJSONValue | null {
  if (step < 0 || step > value.length || (rest.length && !(step in value))) {
    return null;
  }
  const copy = [...value];
  if (rest.length) {
    const inner = withValue(value[step], rest, next);
    if (inner === null) {
      return null;
    }
    copy[step] = inner;
  } else if (next === undefined) {
    copy.splice(step, 1);
  } else {
    copy[step] = next;
  }
  return copy;
}

function inObject(
  value: PartialJSONObject,
  step: string,
  rest: LeafPath,
  next: Value
): PartialJSONValue | null {
  let inner: Value = next;
  if (rest.length) {
    inner = withValue(valueAt(value, [step]), rest, next) ?? undefined;
    if (inner === undefined) {
      return null;
    }
  }
  const entries = Object.entries(value);
  const place = entries.findIndex(([key]) => key === step);
  if (inner === undefined) {
    entries.splice(place, place === -1 ? 0 : 1);
  } else if (place === -1) {
    entries.push([step, inner]);
  } else {
    entries[place] = [step, inner];
  }
  // Assignment would treat a key named `__proto__` as the prototype.
  return Object.fromEntries(entries);
}
