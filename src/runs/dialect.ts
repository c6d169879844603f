import { trans } from '../base/words';

/**
 * The JSON dialect that browser and server share (`jupyterlab_turnbook/base/dialect.py`).
 *
 * It is strict JSON. Of duplicate keys the last counts, nesting is limited to `MAX_DEPTH`, and a
 * number that does not fit a double is null.
 */

/** How deep arrays and objects may be nested. */
export const MAX_DEPTH = 200;

const MAYBE_HUGE = /\d[eE]\+?\d|\d{300}/;

/** Parse JSON; throws a `SyntaxError` if it is invalid. */
export function parseJSON(text: string): unknown {
  if (isTooDeep(text)) {
    throw new SyntaxError(
      trans.__('It is nested deeper than %1 levels', MAX_DEPTH)
    );
  }
  return MAYBE_HUGE.test(text)
    ? (JSON.parse(text, (_, value: unknown) =>
        value === Infinity || value === -Infinity ? null : value
      ) as unknown)
    : (JSON.parse(text) as unknown);
}

/**
 * Parse what a provider wrote; undefined if it is not JSON.
 *
 * Providers write `NaN` and `-Infinity` for missing numbers.
 */
export function parseChunk(data: string): unknown {
  try {
    return parseJSON(data);
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
  }
  const parts: string[] = [];
  for (const [part, isString] of pieces(data)) {
    parts.push(isString ? part : part.replace(/-?Infinity|NaN/g, 'null'));
  }
  try {
    return parseJSON(parts.join(''));
  } catch (error) {
    if (error instanceof SyntaxError) {
      return undefined;
    }
    throw error;
  }
}

function isTooDeep(text: string): boolean {
  if (text.length <= MAX_DEPTH) {
    return false;
  }
  let depth = 0;
  for (const [part, isString] of pieces(text)) {
    for (const letter of isString ? '' : part) {
      if (letter === '[' || letter === '{') {
        depth++;
        if (depth > MAX_DEPTH) {
          return true;
        }
      } else if (letter === ']' || letter === '}') {
        depth--;
      }
    }
  }
  return false;
}

/** Split a text into strings and what is between them. */
function* pieces(text: string): Generator<[string, boolean]> {
  let at = 0;
  while (at < text.length) {
    const begin = text.indexOf('"', at);
    if (begin === -1) {
      yield [text.slice(at), false];
      return;
    }
    yield [text.slice(at, begin), false];
    let end = begin + 1;
    while (end < text.length && text[end] !== '"') {
      end += text[end] === '\\' ? 2 : 1;
    }
    yield [text.slice(begin, end + 1), true];
    at = end + 1;
  }
}
