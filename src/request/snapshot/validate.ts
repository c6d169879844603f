/** Validation of snapshots, with positions of errors. */
import type { PartialJSONObject } from '@lumino/coreutils';
import Ajv, { type ValidateFunction } from 'ajv';

import { trans } from '../../base/words';
import { RequestError } from '../errors';
import type { LeafPath } from '../model';
import { formErrors, optionErrors, type IFormError } from '../options';
import { sectionsOf } from './capture';
import type { ISnapshot } from './model';
import { firstError, parseTree, rangeAt, type IPlace } from './places';
import schema from './schema/snapshot.schema.json';

/** The schema of a snapshot. */
export const SNAPSHOT_SCHEMA = schema;

/** Made with the first snapshot that is checked. */
let check: ValidateFunction | null = null;

/** The errors of a snapshot's text, with their positions. */
export function checkSnapshot(text: string): IPlace[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) {
      return [syntaxPlace(text)];
    }
    throw error;
  }
  const errors = snapshotErrors(value);
  if (!errors.length) {
    return [];
  }
  const tree = parseTree(text);
  return errors.map(({ path, message }) => ({
    ...rangeAt(text, path, tree),
    message
  }));
}

function snapshotErrors(value: unknown): IFormError[] {
  check ??= new Ajv({ allErrors: true, strict: false }).compile(schema);
  if (!check(value)) {
    return formErrors(check.errors ?? []);
  }
  const snapshot = value as unknown as ISnapshot;
  const { stream } = snapshot.requestOptions;
  const wrong = optionErrors(snapshot.requestOptions);
  if (stream === undefined) {
    wrong.push({
      path: [],
      message: trans.__('requestOptions needs "stream": true')
    });
  }
  const options = wrong.map(({ path, message }) => ({
    path: ['requestOptions', ...path] as LeafPath,
    message
  }));
  const own = ['messages', 'model'].filter(key =>
    Object.hasOwn(snapshot.requestOptions as PartialJSONObject, key)
  );
  const misplaced = own.map(key => ({
    path: ['requestOptions', key] as LeafPath,
    message:
      key === 'model'
        ? trans.__('The model belongs in endpoint.')
        : trans.__('The messages belong in turns.')
  }));
  return [...options, ...misplaced, ...roundErrors(snapshot)];
}

function roundErrors(snapshot: ISnapshot): IFormError[] {
  try {
    sectionsOf(snapshot);
    return [];
  } catch (error) {
    if (error instanceof RequestError) {
      return [{ path: error.path, message: error.message }];
    }
    throw error;
  }
}

function syntaxPlace(text: string): IPlace {
  const from = firstError(text);
  const before = text.slice(0, from);
  const line = before.split('\n').length;
  const column = from - before.lastIndexOf('\n');
  const isEnd = from >= text.trimEnd().length;
  return {
    from,
    to: Math.min(text.length, from + 1),
    message: isEnd
      ? trans.__('The JSON is not complete: line %1, column %2.', line, column)
      : trans.__('This is not JSON: line %1, column %2.', line, column)
  };
}
