import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { isObject } from '../../base/json';

/** The form that a request asked its reply to have. */
export interface IReplyFormat {
  /** The name of the schema; empty if it has none. */
  name: string;
  /** The schema; null if any JSON object will do. */
  schema: unknown;
}

/**
 * The form that a reply must have; null if that is free text.
 *
 * @param options - The options of its request, which are untrusted.
 */
export function replyFormat(
  options: ReadonlyPartialJSONObject | undefined
): IReplyFormat | null {
  const format: unknown = options?.response_format;
  if (!isObject(format)) {
    return null;
  }
  switch (format.type) {
    case 'json_schema': {
      const { json_schema: named } = format;
      const { name, schema } = isObject(named)
        ? named
        : ({} as ReadonlyPartialJSONObject);
      return {
        name: typeof name === 'string' ? name : '',
        schema: schema ?? null
      };
    }
    case 'json_object':
      // llama.cpp and others take a schema here.
      return { name: '', schema: format.schema ?? null };
    default:
      return null;
  }
}
