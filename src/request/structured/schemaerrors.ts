import { isObject } from '../../base/json';
import { trans } from '../../base/words';
import { valueAt } from '../leaves';
import type { LeafPath, PartialJSONValue } from '../model';
import { formErrors, type IFormError } from '../options';
import { metaErrors, patternOf } from './checkschema';

/** Deeper schemas are not checked, neither themselves nor replies against them. */
export const MAX_SCHEMA_DEPTH = 64;

/** Longer schemas are not checked, in characters. */
export const MAX_SCHEMA_LENGTH = 200_000;

/** Keys under which there are schemas by name. */
const MAPS = [
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas'
];

/** Keys under which there are values, whatever they look like. */
const VALUES = ['const', 'enum', 'default', 'examples'];

/** Whether a value is nested deeper than this; it may be nested to any depth. */
export function isDeeper(value: unknown, depth: number): boolean {
  let level: unknown[] = [value];
  for (let n = 0; n <= depth; n++) {
    level = level.flatMap(one =>
      typeof one === 'object' && one !== null ? Object.values(one) : []
    );
    if (!level.length) {
      return false;
    }
  }
  return true;
}

/** What is wrong with a JSON schema, and where in it. */
export function schemaErrors(schema: PartialJSONValue): IFormError[] {
  if (typeof schema !== 'boolean' && !isObject(schema)) {
    return [{ path: [], message: trans.__('A schema must be an object.') }];
  }
  if (isDeeper(schema, MAX_SCHEMA_DEPTH)) {
    return [
      {
        path: [],
        message: trans.__(
          'The schema is nested deeper than %1 levels, so replies cannot be checked.',
          MAX_SCHEMA_DEPTH
        )
      }
    ];
  }
  const errors = formErrors(metaErrors(schema));
  return errors.length ? errors : innerErrors(schema, schema, []);
}

/** Patterns that cannot be read, and references to nothing. */
function innerErrors(
  root: PartialJSONValue,
  schema: unknown,
  path: LeafPath
): IFormError[] {
  if (Array.isArray(schema)) {
    return schema.flatMap((one, n) => innerErrors(root, one, [...path, n]));
  }
  if (!isObject(schema)) {
    return [];
  }
  return Object.entries(schema).flatMap(([key, value]): IFormError[] => {
    const at = [...path, key];
    if (MAPS.includes(key) && isObject(value)) {
      return Object.entries(value).flatMap(([name, one]) =>
        innerErrors(root, one, [...at, name])
      );
    }
    if (VALUES.includes(key)) {
      return [];
    }
    if (key === 'pattern' && typeof value === 'string') {
      return patternErrors(value, at);
    }
    if (key === '$ref' && typeof value === 'string') {
      return refErrors(root, value, at);
    }
    return innerErrors(root, value, at);
  });
}

function patternErrors(pattern: string, path: LeafPath): IFormError[] {
  try {
    patternOf(pattern);
    return [];
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
    return [
      {
        path,
        message: trans.__('%1 is not a regular expression', path.join('.'))
      }
    ];
  }
}

function refErrors(
  root: PartialJSONValue,
  ref: string,
  path: LeafPath
): IFormError[] {
  if (!ref.startsWith('#/')) {
    // `#` is the schema itself, others are names in it, which only the check itself resolves.
    return [];
  }
  const steps = ref
    .slice(2)
    .split('/')
    .map(step => decoded(step).replace(/~1/g, '/').replace(/~0/g, '~'));
  let at: PartialJSONValue | undefined = root;
  for (const step of steps) {
    at = valueAt(at, [Array.isArray(at) ? Number(step) : step]);
  }
  return at === undefined
    ? [
        {
          path,
          message: trans.__('%1 refers to nothing: %2', path.join('.'), ref)
        }
      ]
    : [];
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch (error) {
    if (error instanceof URIError) {
      return step;
    }
    throw error;
  }
}
