/**
 * Checks JSON against any schema.
 *
 * Schemas come from files, so this runs in a worker that can be stopped: a pattern may take for ever.
 * The compiler writes each schema's values as literals, and its own keywords only; nothing is
 * loaded for a `$ref`.
 */
import Ajv, { type ErrorObject, type Options } from 'ajv';
import Ajv2020 from 'ajv/dist/2020';

import { isObject } from '../../base/json';

/** How many errors are reported. */
export const MAX_ERRORS = 20;

/** What a check found, or why there was none. */
export type SchemaCheck =
  | { errors: ErrorObject[]; more: number; problem?: undefined }
  | { problem: string };

/** Check JSON against a schema, both given as text. Never throws. */
export function checkSchema(json: string, schema: string): SchemaCheck {
  try {
    const validate = validator(JSON.parse(schema)).compile();
    const value: unknown = JSON.parse(json);
    // With `$async` inside, it would be a promise.
    const isRight: unknown = validate(value);
    if (typeof isRight !== 'boolean') {
      return { problem: '$async' };
    }
    const errors = isRight ? [] : (validate.errors ?? []);
    return {
      errors: errors.slice(0, MAX_ERRORS),
      more: Math.max(0, errors.length - MAX_ERRORS)
    };
  } catch (error) {
    // The schema cannot be compiled, or its recursion has no end.
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** The errors of a schema itself, judged by the schema of schemas. */
export function metaErrors(schema: unknown): readonly ErrorObject[] {
  return validator(schema).metaErrors();
}

/** A validator for a schema, in the dialect that it is written in. */
function validator(schema: unknown) {
  const { $schema, ...rest } = isObject(schema)
    ? schema
    : ({} as Record<string, unknown>);
  const isOld = typeof $schema === 'string' && /draft-0[467]/.test($schema);
  const ajv = isOld ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS);
  const rules = isObject(schema) ? rest : (schema as boolean);
  return {
    compile: () => ajv.compile(rules),
    metaErrors: () => (ajv.validateSchema(rules) ? [] : (ajv.errors ?? []))
  };
}

/** A regular expression; models are often given patterns that are valid only without the `u` flag. */
export function patternOf(pattern: string, flags = 'u'): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch (error) {
    if (error instanceof SyntaxError) {
      return new RegExp(pattern);
    }
    throw error;
  }
}

const OPTIONS: Options = {
  allErrors: true,
  code: { regExp: Object.assign(patternOf, { code: 'new RegExp' }) },
  logger: false,
  // A key such as `toString` is there only if the reply has it.
  ownProperties: true,
  strict: false,
  validateFormats: false
};
