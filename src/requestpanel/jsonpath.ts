/** Paths inside JSON values. */
import type { PartialJSONValue } from '@lumino/coreutils';

import type { LeafPath } from '../request/model';

/** A path as people write it: `tool_calls[0].function.name`. */
export function pathName(path: LeafPath): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : index ? `.${step}` : step
    )
    .join('');
}

/**
 * Parse a text that is a JSON object or array, such as the arguments of a tool call; otherwise
 * null.
 */
export function encodedJson(text: string): PartialJSONValue | null {
  if (!/^\s*[[{]/.test(text) || text.length > MAX_ENCODED) {
    return null;
  }
  try {
    return JSON.parse(text) as PartialJSONValue;
  } catch (error) {
    if (error instanceof SyntaxError) {
      return null;
    }
    throw error;
  }
}

/** Longer texts are not parsed. */
const MAX_ENCODED = 200_000;
