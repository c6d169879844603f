/** JSON inside texts. */
import type { PartialJSONValue } from '@lumino/coreutils';

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
