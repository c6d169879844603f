import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import {
  HighlightStyle,
  syntaxHighlighting,
  type Language
} from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView, keymap, tooltips } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The look of all editors in the panel; colours come from the theme. */
const LOOK = EditorView.theme({
  '&': { backgroundColor: 'transparent', color: 'inherit' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--jp-code-font-family)',
    fontSize: 'var(--jp-code-font-size)',
    lineHeight: '1.45'
  },
  '.cm-content': {
    caretColor: 'var(--jp-editor-cursor-color)',
    padding: '4px 0'
  },
  '.cm-cursor, .cm-dropCursor': {
    borderLeftColor: 'var(--jp-editor-cursor-color)'
  },
  '.cm-line': { padding: '0 6px' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    backgroundColor: 'var(--jp-editor-selected-background)'
  },
  '.cm-gutters': {
    backgroundColor: 'transparent',
    border: 'none',
    color: 'var(--jp-ui-font-color2)'
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--jp-layout-color1)',
    border: 'var(--jp-border-width) solid var(--jp-border-color1)',
    boxShadow: 'var(--jp-elevation-z6)',
    color: 'var(--jp-ui-font-color1)',
    fontSize: 'var(--jp-ui-font-size1)',
    zIndex: '10000'
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--jp-brand-color1)',
    color: 'var(--jp-ui-inverse-font-color1)'
  },
  '.cm-deletedChunk, .cm-deletedText': { textDecoration: 'none' }
});

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--jp-mirror-editor-def-color)' },
  { tag: tags.string, color: 'var(--jp-mirror-editor-string-color)' },
  { tag: tags.number, color: 'var(--jp-mirror-editor-number-color)' },
  { tag: tags.bool, color: 'var(--jp-mirror-editor-keyword-color)' },
  { tag: tags.null, color: 'var(--jp-mirror-editor-keyword-color)' }
]);

/** The look and keys of every editor in the panel; Tab moves to the next control. */
export function codeBase(options: {
  label: string;
  language?: Language;
  /** Whether the editor has its own history. */
  ownHistory?: boolean;
  readOnly?: boolean;
  describedBy?: string;
}): Extension {
  return [
    LOOK,
    EditorView.lineWrapping,
    syntaxHighlighting(COLOURS),
    options.ownHistory ? [history(), keymap.of(historyKeymap)] : [],
    keymap.of(defaultKeymap),
    // In the body, because the panel clips its overflow.
    tooltips({ parent: document.body }),
    EditorView.editable.of(!options.readOnly),
    EditorView.contentAttributes.of({
      'aria-label': options.label,
      tabindex: '0',
      ...(options.readOnly ? { 'aria-readonly': 'true' } : {}),
      ...(options.describedBy
        ? { 'aria-describedby': options.describedBy }
        : {})
    })
  ];
}
