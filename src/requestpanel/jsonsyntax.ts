import { jsonLanguage } from '@codemirror/lang-json';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IPlace } from '../ui/jsoneditor';

/** Where JSON text has a syntax error; empty if it has none. */
export function syntaxPlaces(
  text: string,
  trans: Pick<TranslationBundle, '__'>
): IPlace[] {
  try {
    JSON.parse(text);
    return [];
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
  }
  const at = firstError(text);
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  return [
    {
      from: at,
      to: Math.min(text.length, at + 1),
      message:
        at >= text.trimEnd().length
          ? trans.__(
              'The JSON is not complete: line %1, column %2.',
              line,
              column
            )
          : trans.__('This is not JSON: line %1, column %2.', line, column)
    }
  ];
}

function firstError(text: string): number {
  let at = text.length;
  jsonLanguage.parser.parse(text).iterate({
    enter: node => {
      if (node.type.isError && node.from < at) {
        at = node.from;
      }
      return node.from < at;
    }
  });
  return at;
}
