/** The value of an option as the user reads and writes it. */
import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

import { isObject } from '../base/json';
import { RequestError } from './errors';
import { OPTIONS_SCHEMA } from './options';

/** How long the value on a chip is, in characters. */
const MAX_VALUE = 28;

/** Read a written value: JSON, or any text where the option is one. Throws a `RequestError`. */
export function valueFromText(name: string, text: string): PartialJSONValue {
  if (takesOnlyText(name)) {
    return text;
  }
  try {
    return JSON.parse(text) as PartialJSONValue;
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
  }
  if (takesText(name) && text.trim()) {
    return text;
  }
  throw new RequestError(
    'wrong-option',
    'The value must be JSON: 0.5, true, "text" or {"a": 1}.',
    [name]
  );
}

/** A value to be edited. */
export function textOfValue(
  name: string,
  value: PartialJSONValue | undefined
): string {
  if (value === undefined) {
    return '';
  }
  return typeof value === 'string' && takesOnlyText(name)
    ? value
    : JSON.stringify(value, null, 2);
}

/** A value in a few words: names of tools, the type and name of a format, or the beginning of its JSON. */
export function shortValue(value: PartialJSONValue): string {
  const names = Array.isArray(value) ? value.map(toolName) : [];
  const text =
    names.length && names.every(name => name !== null)
      ? names.join(', ')
      : isObject(value) && typeof value.type === 'string'
        ? [value.type, schemaName(value)].filter(Boolean).join(' ')
        : typeof value === 'string'
          ? value
          : JSON.stringify(value);
  const signs = [...text.slice(0, 4 * MAX_VALUE)];
  return signs.length > MAX_VALUE
    ? `${signs.slice(0, MAX_VALUE).join('')}…`
    : text;
}

function schemaName({ json_schema: schema }: PartialJSONObject): string {
  return isObject(schema) && typeof schema.name === 'string' ? schema.name : '';
}

function toolName(tool: PartialJSONValue): string | null {
  const named = isObject(tool) ? tool.function : null;
  return isObject(named) && typeof named.name === 'string' ? named.name : null;
}

interface IKnown {
  type?: unknown;
  anyOf?: readonly { type?: unknown }[];
}

function known(name: string): IKnown {
  const all: Record<string, object> = OPTIONS_SCHEMA.properties;
  return Object.hasOwn(all, name) ? all[name] : {};
}

/** Whether an option is an object or a list, which is written in lines. */
export function takesLines(name: string): boolean {
  const types = [known(name).type].flat();
  return types.includes('object') || types.includes('array');
}

function takesOnlyText(name: string): boolean {
  return known(name).type === 'string';
}

function takesText(name: string): boolean {
  return known(name).anyOf?.some(({ type }) => type === 'string') ?? false;
}
