/** Everything in a request besides its messages, and its validation. */
import type {
  PartialJSONObject,
  PartialJSONValue,
  ReadonlyPartialJSONObject
} from '@lumino/coreutils';
import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv';

import { trans } from '../base/words';
import { RequestError } from './errors';
import { sameJSON, valueAt } from './leaves';
import type { LeafPath } from './model';
import { defaultFrame } from './render';
import schema from './schema/options.schema.json';

/** The schema of the options that Turnbook knows; others are sent unchecked. */
export const OPTIONS_SCHEMA = schema;

const FIELDS: Record<string, { title?: string; description?: string }> =
  schema.properties;

/** The name of an option and its help, in the user's language; empty if it is not known. */
export function optionWords(key: string): { title: string; help: string } {
  const { title = '', description = '' } = Object.hasOwn(FIELDS, key)
    ? FIELDS[key]
    : {};
  return {
    title: title && trans.gettext(title),
    help: description && trans.gettext(description)
  };
}

/** Made with the first options that are checked: it takes as long as drawing a cell. */
let check: ValidateFunction | null = null;

/** A schema violation, and where it is. */
export interface IFormError {
  path: LeafPath;
  message: string;
}

/** Validate options; unknown keys are not checked. */
export function optionErrors(options: ReadonlyPartialJSONObject): IFormError[] {
  check ??= new Ajv({ allErrors: true, strict: false }).compile(schema);
  return check(options) ? [] : formErrors(check.errors ?? []);
}

/** Throw if an option cannot have this value; undefined removes it. */
export function checkOption(
  key: string,
  value: PartialJSONValue | undefined
): void {
  if (key === 'messages') {
    throw new RequestError(
      'fixed-option',
      trans.__(
        'The messages are edited in their sections, not among the options.'
      ),
      [key]
    );
  }
  if (key === 'stream' && value !== true) {
    throw new RequestError(
      'fixed-option',
      trans.__(
        'Turnbook reads replies as they are written, so stream stays true.'
      ),
      [key]
    );
  }
  if (key === 'model' && value === undefined) {
    throw new RequestError(
      'fixed-option',
      trans.__('A request needs a model.'),
      [key]
    );
  }
  if (!key) {
    throw new RequestError('wrong-option', trans.__('An option needs a name.'));
  }
  const errors = value === undefined ? [] : optionErrors({ [key]: value });
  if (errors.length) {
    const { path, message } = errors[0];
    throw new RequestError('wrong-option', message, path);
  }
}

/**
 * The options of a frame that differ from the default, to be kept with the pair; null marks removed
 * ones.
 */
export function notableOptions(
  frame: ReadonlyPartialJSONObject
): PartialJSONObject {
  const usual = defaultFrame('') as PartialJSONObject;
  const own = new Set(['model', 'messages']);
  const said = Object.entries(frame).filter(
    ([key, value]) =>
      !own.has(key) &&
      !sameJSON(valueAt(usual, [key]), value as PartialJSONValue)
  );
  const gone = Object.keys(usual).filter(
    key => !own.has(key) && !Object.hasOwn(frame, key)
  );
  return Object.fromEntries([
    ...said,
    ...gone.map((key): [string, null] => [key, null])
  ]) as PartialJSONObject;
}

/** Explain schema errors, each with its path; of several alternatives, the innermost error. */
export function formErrors(errors: readonly ErrorObject[]): IFormError[] {
  const real = errors.filter(
    ({ keyword }) => keyword !== 'anyOf' && keyword !== 'if'
  );
  const inner = real.filter(
    one =>
      !one.schemaPath.includes('/anyOf/') ||
      !real.some(other => other.instancePath.startsWith(`${one.instancePath}/`))
  );
  const found = new Map<string, IFormError>();
  for (const error of inner) {
    const message =
      error.keyword === 'type' ? typeWords(error, inner) : wordsOf(error);
    found.set(`${error.instancePath} ${message}`, {
      path: pathOf(error),
      message
    });
  }
  return [...found.values()];
}

/** All types that are allowed at a path, as one error. */
function typeWords(error: ErrorObject, all: readonly ErrorObject[]): string {
  const types = all
    .filter(
      ({ keyword, instancePath }) =>
        keyword === 'type' && instancePath === error.instancePath
    )
    .flatMap(({ params }) => params.type as string | string[]);
  return trans.__(
    '%1 must be %2',
    nameOf(error),
    [...new Set(types)].join(trans.__(' or '))
  );
}

function nameOf(error: ErrorObject): string {
  return pathOf(error).join('.') || trans.__('this');
}

function pathOf(error: ErrorObject): LeafPath {
  return error.instancePath
    .split('/')
    .slice(1)
    .map(step => step.replace(/~1/g, '/').replace(/~0/g, '~'))
    .map(step => (/^\d+$/.test(step) ? Number(step) : step));
}

function limitOf(error: ErrorObject): string {
  return String(error.params.limit);
}

function wordsOf(error: ErrorObject): string {
  const name = nameOf(error);
  switch (error.keyword) {
    case 'const':
      return trans.__(
        '%1 must be %2',
        name,
        JSON.stringify(error.params.allowedValue)
      );
    case 'enum':
      return trans.__(
        '%1 must be one of %2',
        name,
        (error.params.allowedValues as unknown[])
          .map(value => JSON.stringify(value))
          .join(', ')
      );
    case 'minLength':
      return error.params.limit === 1
        ? trans.__('%1 must not be empty', name)
        : trans.__('%1 needs at least %2 characters', name, limitOf(error));
    case 'maxLength':
      return trans.__('%1 has more than %2 characters', name, limitOf(error));
    case 'minItems':
      return trans.__('%1 needs at least %2 items', name, limitOf(error));
    case 'maxItems':
      return trans.__('%1 has more than %2 items', name, limitOf(error));
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return trans.__(
        '%1 must be %2',
        name,
        `${error.params.comparison} ${error.params.limit}`
      );
    case 'pattern':
      return trans.__(
        '%1 does not match the pattern %2',
        name,
        error.params.pattern
      );
    case 'false schema':
      return trans.__('%1 is not allowed', name);
    case 'oneOf':
      return trans.__('%1 must match exactly one of the alternatives', name);
    case 'required':
      return trans.__('%1 needs %2', name, error.params.missingProperty);
    case 'additionalProperties':
      return trans.__(
        '%1 cannot have %2',
        name,
        error.params.additionalProperty
      );
    default:
      return `${name} ${error.message ?? trans.__('has another form')}`;
  }
}
