/** Errors of an option while it is written as JSON, with their places. */
import type { PartialJSONValue } from '@lumino/coreutils';

import { jsonErrorAt, lineOf } from '../../base/jsontext';
import { trans } from '../../base/words';
import { optionErrors, type IFormError } from '../options';
import { rangeAt } from '../scan';
import type { IPlace } from '../snapshot/places';
import { replyFormat } from './format';
import { schemaErrors } from './schemaerrors';

/** What is wrong with an option that is written as JSON; empty if nothing is known to be. */
export function optionPlaces(name: string, text: string): IPlace[] {
  const at = jsonErrorAt(text);
  if (at !== null) {
    const { line, column } = lineOf(text, at);
    const message =
      at >= text.trimEnd().length
        ? trans.__(
            'The JSON is not complete: line %1, column %2.',
            line,
            column
          )
        : trans.__('This is not JSON: line %1, column %2.', line, column);
    return [{ from: at, to: Math.min(text.length, at + 1), message }];
  }
  const value = JSON.parse(text) as PartialJSONValue;
  const errors = [
    ...optionErrors({ [name]: value }),
    ...formatErrors(name, value)
  ];
  return errors.map(({ path, message }) => {
    const range = rangeAt(text, path.slice(1));
    const { line, column } = lineOf(text, range.from);
    return {
      ...range,
      message: trans.__('%1 (line %2, column %3)', message, line, column)
    };
  });
}

/** What is wrong with the schema in a response format. */
export function formatErrors(
  name: string,
  value: PartialJSONValue | undefined
): IFormError[] {
  const format =
    name === 'response_format' && value !== undefined
      ? replyFormat({ [name]: value })
      : null;
  if (!format || format.schema === null) {
    return [];
  }
  const { type } = value as { type: string };
  const place =
    type === 'json_schema' ? [name, 'json_schema', 'schema'] : [name, 'schema'];
  return schemaErrors(format.schema as PartialJSONValue).map(
    ({ path, message }) => ({ path: [...place, ...path], message })
  );
}
