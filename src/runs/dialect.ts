/**
 * One dialect of JSON: what the server reads is read here too (`jupyterlab_turnbook/base/dialect.py`).
 *
 * It is JSON to the letter. Of repeated keys the last counts, nothing is nested deeper than
 * `MAX_DEPTH`, and a number that no double can hold is null.
 */

/** How deep arrays and objects may be nested. */
export const MAX_DEPTH = 200;

const MAYBE_HUGE = /\d[eE]\+?\d|\d{300}/;

/** Read JSON; throws a `SyntaxError` for everything else. */
export function parseJSON(text: string): unknown {
  if (isTooDeep(text)) {
    throw new SyntaxError(`It is nested deeper than ${MAX_DEPTH} levels`);
  }
  return MAYBE_HUGE.test(text)
    ? (JSON.parse(text, (_, value: unknown) =>
        value === Infinity || value === -Infinity ? null : value
      ) as unknown)
    : (JSON.parse(text) as unknown);
}

/**
 * Read what a provider wrote; undefined if it is no JSON.
 *
 * Providers write `NaN` and `-Infinity` where they mean that there is no number.
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

/** A text cut into its strings and what is between them. */
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
