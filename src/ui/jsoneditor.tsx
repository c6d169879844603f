import {
  autocompletion,
  completionKeymap,
  type CompletionSource
} from '@codemirror/autocomplete';
import { json, jsonLanguage } from '@codemirror/lang-json';
import { forceLinting, linter, lintGutter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, placeholder } from '@codemirror/view';
import * as React from 'react';

import { codeBase } from './codeview';

/** A range in a text and the error there. */
export interface IPlace {
  from: number;
  to: number;
  message: string;
}

/** How long after the last key a text is checked, in milliseconds. */
const CHECK_MS = 120;

export interface IJsonEditor {
  /** Put the cursor at a place and show it. */
  goTo(place: IPlace): void;
}

export interface IJsonEditorProps {
  label: string;
  /** The text; replaces the editor's content whenever it changes. */
  text: string;
  /** The errors of a text. */
  check: (text: string) => readonly IPlace[];
  onChange: (text: string) => void;
  complete?: CompletionSource;
  /** The id of the element that shows the error. */
  describedBy?: string;
  /** What an empty editor shows. */
  empty?: string;
}

/** A JSON editor with error marks and completion. */
export const JsonEditor = React.forwardRef<IJsonEditor, IJsonEditorProps>(
  (props, ref) => {
    const { label, text } = props;
    const parent = React.useRef<HTMLDivElement>(null);
    const view = React.useRef<EditorView | null>(null);
    const latest = React.useRef(props);
    latest.current = props;
    React.useEffect(() => {
      const editor = new EditorView({
        doc: latest.current.text,
        parent: parent.current!,
        extensions: [
          EditorState.lineSeparator.of('\n'),
          codeBase({
            label,
            ownHistory: true,
            describedBy: latest.current.describedBy
          }),
          json(),
          latest.current.empty ? placeholder(latest.current.empty) : [],
          linter(
            ({ state }) =>
              latest.current
                .check(state.doc.toString())
                .map(place => ({ ...place, severity: 'error' as const })),
            { delay: CHECK_MS }
          ),
          lintGutter(),
          autocompletion({ icons: false }),
          jsonLanguage.data.of({
            autocomplete: (context: Parameters<CompletionSource>[0]) =>
              latest.current.complete?.(context) ?? null
          }),
          keymap.of(completionKeymap),
          EditorView.updateListener.of(update => {
            if (!update.docChanged) {
              return;
            }
            const now = update.state.doc.toString();
            // Text that was set from outside is not a change by the user.
            if (now !== latest.current.text) {
              latest.current.onChange(now);
            }
          })
        ]
      });
      view.current = editor;
      return () => {
        view.current = null;
        editor.destroy();
      };
    }, [label]);
    React.useEffect(() => {
      const editor = view.current;
      if (editor && editor.state.doc.toString() !== text) {
        editor.dispatch({
          changes: { from: 0, to: editor.state.doc.length, insert: text }
        });
        forceLinting(editor);
      }
    }, [text]);
    React.useImperativeHandle(
      ref,
      () => ({
        goTo: ({ from }) => {
          view.current?.dispatch({
            selection: { anchor: from },
            effects: EditorView.scrollIntoView(from, { y: 'center' })
          });
          view.current?.focus();
        }
      }),
      []
    );
    return <div ref={parent} className="jp-Turnbook-jsonEditor" />;
  }
);
JsonEditor.displayName = 'JsonEditor';
