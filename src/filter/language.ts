import {
  HighlightStyle,
  LanguageSupport,
  LRLanguage,
  syntaxHighlighting
} from '@codemirror/language';
import { linter, type Diagnostic } from '@codemirror/lint';
import type { Extension } from '@codemirror/state';
import { styleTags, tags } from '@lezer/highlight';

import { trans } from '../base/words';
import { completions, type IVocabulary } from './completion';
import { parse } from './parse';
import { parser } from './parser';

/** The CodeMirror language, from the same grammar that the parser uses. */
export const filterLanguage = LRLanguage.define({
  name: 'turnbook-filter',
  parser: parser.configure({
    props: [
      styleTags({
        Field: tags.propertyName,
        Op: tags.compareOperator,
        Value: tags.literal,
        Quoted: tags.string,
        'OrWord NotWord': tags.operatorKeyword,
        Minus: tags.logicOperator,
        '( )': tags.paren
      })
    ]
  })
});

const COLOURS = HighlightStyle.define(
  [
    { tag: tags.propertyName, class: 'jp-Turnbook-filter-field' },
    { tag: tags.compareOperator, class: 'jp-Turnbook-filter-op' },
    { tag: tags.literal, class: 'jp-Turnbook-filter-value' },
    { tag: tags.string, class: 'jp-Turnbook-filter-quoted' },
    { tag: tags.operatorKeyword, class: 'jp-Turnbook-filter-keyword' },
    { tag: tags.logicOperator, class: 'jp-Turnbook-filter-keyword' }
  ],
  { scope: filterLanguage }
);

/** How long after the last key an error is marked and a filter applied, in milliseconds. */
export const DELAY = 150;

/** Highlighting, completion and error marks for a filter. */
export function filterSupport(vocabulary: IVocabulary): LanguageSupport {
  return new LanguageSupport(filterLanguage, [
    syntaxHighlighting(COLOURS),
    filterLanguage.data.of({ autocomplete: completions(vocabulary) }),
    errorMarks()
  ]);
}

/** The errors of a text as CodeMirror diagnostics. */
export function diagnostics(text: string): Diagnostic[] {
  const parsed = parse(text);
  if (!('error' in parsed)) {
    return [];
  }
  const { from, to, message, suggestion } = parsed.error;
  return [
    {
      from,
      to,
      message,
      severity: 'error',
      actions:
        suggestion === undefined
          ? []
          : [
              {
                name: suggestion || trans.__('Remove it'),
                apply: (view, start, end) =>
                  view.dispatch({
                    changes: { from: start, to: end, insert: suggestion }
                  })
              }
            ]
    }
  ];
}

function errorMarks(): Extension {
  return linter(view => diagnostics(view.state.doc.toString()), {
    delay: DELAY
  });
}
