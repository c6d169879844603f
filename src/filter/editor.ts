import {
  acceptCompletion,
  autocompletion,
  closeCompletion,
  selectedCompletion
} from '@codemirror/autocomplete';
import { history, historyKeymap, standardKeymap } from '@codemirror/commands';
import { EditorState, Prec } from '@codemirror/state';
import {
  EditorView,
  keymap,
  placeholder,
  tooltips,
  type Command
} from '@codemirror/view';

import type { IVocabulary } from './completion';
import { filterSupport } from './language';

export interface IFilterEditorOptions {
  parent: HTMLElement;
  vocabulary: IVocabulary;
  placeholder: string;
  /** Attributes of the textbox, read at each update. */
  attributes(): Record<string, string>;
  /** Called when the text changes, by the user or by code. */
  onChange(text: string): void;
  onEnter(): void;
  onEscape(): void;
  onBlur(): void;
  /** ArrowUp and ArrowDown; returning false lets the cursor move instead. */
  onOlder(): boolean;
  onNewer(): boolean;
}

/** Create the one-line editor of a filter. */
export function filterEditor(options: IFilterEditorOptions): EditorView {
  const enter: Command = () => {
    options.onEnter();
    return true;
  };
  // A completion list in which nothing is selected does not capture Escape.
  const escape: Command = view => {
    const chosen = selectedCompletion(view.state) !== null;
    closeCompletion(view);
    if (!chosen) {
      options.onEscape();
    }
    return true;
  };
  const keys = [
    { key: 'Enter', run: enter, shift: enter },
    { key: 'Mod-Enter', run: enter },
    { key: 'ArrowUp', run: () => options.onOlder() },
    { key: 'ArrowDown', run: () => options.onNewer() },
    { key: 'Tab', run: acceptCompletion }
  ];
  return new EditorView({
    parent: options.parent,
    extensions: [
      history(),
      Prec.highest(keymap.of([{ key: 'Escape', run: escape }])),
      // Enter and Tab accept an option only if it was selected with the arrow keys, so that fast
      // typing never accepts one by mistake.
      autocompletion({
        icons: false,
        selectOnOpen: false,
        interactionDelay: 0
      }),
      Prec.high(keymap.of(keys)),
      keymap.of([...historyKeymap, ...standardKeymap]),
      filterSupport(options.vocabulary),
      placeholder(options.placeholder),
      // In the body, because the bar clips its overflow.
      tooltips({ parent: document.body }),
      TOOLTIPS,
      EditorState.transactionFilter.of(transaction =>
        transaction.newDoc.lines > 1 ? [] : transaction
      ),
      EditorView.clipboardInputFilter.of(text =>
        text.trim().replace(/\s*[\r\n]+\s*/g, ' ')
      ),
      EditorView.contentAttributes.of(() => options.attributes()),
      EditorView.updateListener.of(update => {
        if (update.docChanged) {
          options.onChange(update.state.doc.toString());
        }
      }),
      EditorView.domEventHandlers({ blur: () => options.onBlur() })
    ]
  });
}

/** Replace the text, with the cursor at its end. */
export function writeText(view: EditorView, text: string): void {
  view.dispatch({
    changes: { from: 0, to: view.state.doc.length, insert: text },
    selection: { anchor: text.length }
  });
}

/** Tooltips are outside the bar, out of reach of its style sheet. */
const TOOLTIPS = EditorView.theme({
  '.cm-tooltip': {
    backgroundColor: 'var(--jp-layout-color1)',
    border: 'var(--jp-border-width) solid var(--jp-border-color1)',
    boxShadow: 'var(--jp-elevation-z6)',
    color: 'var(--jp-ui-font-color1)',
    fontSize: 'var(--jp-ui-font-size1)',
    zIndex: '10000'
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--jp-code-font-family)'
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--jp-brand-color1)',
    color: 'var(--jp-ui-inverse-font-color1)'
  },
  '.cm-completionDetail': { color: 'inherit', opacity: '0.7' },
  '.cm-completionMatchedText': { fontWeight: '600', textDecoration: 'none' },
  '.cm-diagnosticAction': {
    backgroundColor: 'var(--jp-brand-color1)',
    color: 'var(--jp-ui-inverse-font-color1)'
  }
});
