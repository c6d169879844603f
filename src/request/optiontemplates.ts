/** Values to start from when an option is written. */
import type { PartialJSONValue } from '@lumino/coreutils';

import { trans } from '../base/words';
import { OPTIONS_SCHEMA } from './options';
import { textOfValue } from './optiontext';

/** A value to start from. */
export interface IOptionTemplate {
  label: string;
  text: string;
}

const FIELDS: Record<string, { title: string; examples?: readonly unknown[] }> =
  OPTIONS_SCHEMA.properties;

/** A reply with a few fields; services that are strict want all of them required and no others. */
const SCHEMA_FORMAT = {
  type: 'json_schema',
  json_schema: {
    name: 'answer',
    strict: true,
    schema: {
      type: 'object',
      properties: {
        title: { type: 'string' },
        score: { type: 'number', minimum: 0, maximum: 1 },
        tags: { type: 'array', items: { type: 'string' } }
      },
      required: ['title', 'score', 'tags'],
      additionalProperties: false
    }
  }
};

/** The values that are offered for an option. */
export function optionTemplates(name: string): IOptionTemplate[] {
  if (name === 'response_format') {
    return [
      {
        label: trans.__('JSON with a schema'),
        text: textOfValue(name, SCHEMA_FORMAT)
      },
      {
        label: trans.__('Any JSON'),
        text: textOfValue(name, { type: 'json_object' })
      }
    ];
  }
  return optionExamples(name).map(value => ({
    label: typeof value === 'string' ? value : JSON.stringify(value),
    text: textOfValue(name, value)
  }));
}

/** Common values of an option. */
export function optionExamples(name: string): readonly PartialJSONValue[] {
  const { examples = [] } = Object.hasOwn(FIELDS, name) ? FIELDS[name] : {};
  return examples as readonly PartialJSONValue[];
}
