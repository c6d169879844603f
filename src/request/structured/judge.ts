/** Whether a reply has the form that its request asked for. */
import { lineOf } from '../../base/jsontext';
import { trans } from '../../base/words';
import type { LeafPath } from '../model';
import { formErrors } from '../options';
import { partsOf, rangeAt } from '../scan';
import type { SchemaCheck } from './checkschema';
import { findJson, type IFoundJson } from './findjson';
import type { IReplyFormat } from './format';
import { isDeeper, MAX_SCHEMA_DEPTH, MAX_SCHEMA_LENGTH } from './schemaerrors';

/** Longer replies are not checked against their schema, in characters. */
export const MAX_REPLY_LENGTH = 5_000_000;

/** An error in a reply's JSON, and where it is in the reply. */
export interface IJsonError {
  path: LeafPath;
  message: string;
  line: number;
  column: number;
}

/** What is known of a reply without its schema. */
export type ReadReply =
  | { kind: 'incomplete' }
  | { kind: 'no-json'; line: number; column: number }
  | { kind: 'json'; found: IFoundJson; json: string };

/** How a reply's JSON relates to its schema. */
export type Verdict =
  | { kind: 'right' }
  | { kind: 'wrong'; errors: IJsonError[]; more: number }
  | { kind: 'unchecked'; why: string };

/** Checks JSON against a schema, both as text. */
export type Check = (json: string, schema: string) => Promise<SchemaCheck>;

/**
 * Read a reply that should be JSON.
 *
 * @param isPart - Whether the reply was cut off. It is not to blame for what is missing.
 */
export function readJson(text: string, isPart: boolean): ReadReply {
  if (isPart) {
    return { kind: 'incomplete' };
  }
  const found = findJson(text);
  return 'errorAt' in found
    ? { kind: 'no-json', ...lineOf(text, found.errorAt) }
    : { kind: 'json', found, json: text.slice(found.from, found.to) };
}

/** Judge the JSON of a reply by the format that was asked for. */
export async function judge(
  text: string,
  { found, json }: { found: IFoundJson; json: string },
  format: IReplyFormat,
  check: Check
): Promise<Verdict> {
  if (format.schema === null) {
    const isObject = json.trimStart().startsWith('{');
    return isObject
      ? { kind: 'right' }
      : wrong(text, found, json, [
          { path: [], message: trans.__('The JSON must be an object') }
        ]);
  }
  if (json.length > MAX_REPLY_LENGTH) {
    return { kind: 'unchecked', why: trans.__('the reply is too long') };
  }
  if (isDeeper(format.schema, MAX_SCHEMA_DEPTH)) {
    return { kind: 'unchecked', why: trans.__('the schema is too large') };
  }
  const schema = JSON.stringify(format.schema);
  if (schema.length > MAX_SCHEMA_LENGTH) {
    return { kind: 'unchecked', why: trans.__('the schema is too large') };
  }
  const result = await check(json, schema);
  if (result.problem !== undefined) {
    return { kind: 'unchecked', why: result.problem };
  }
  if (!result.errors.length) {
    return { kind: 'right' };
  }
  const errors = formErrors(result.errors).map(({ path, message }) => ({
    path: knownPath(json, path),
    message
  }));
  return wrong(text, found, json, errors, result.more);
}

function wrong(
  text: string,
  found: IFoundJson,
  json: string,
  errors: readonly { path: LeafPath; message: string }[],
  more = 0
): Verdict {
  return {
    kind: 'wrong',
    errors: errors.map(error => ({
      ...error,
      ...lineOf(text, found.from + rangeAt(json, error.path).from)
    })),
    more
  };
}

/** A path with the keys that the JSON has: in an object, `0` is a text too. */
function knownPath(json: string, path: LeafPath): LeafPath {
  let at = 0;
  return path.map(step => {
    const part = partsOf(json, at)
      .filter(({ key }) => `${key}` === `${step}`)
      .pop();
    at = part?.from ?? json.length;
    return part?.key ?? step;
  });
}
