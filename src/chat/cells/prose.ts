/** How messages look in their editors: prose, in the direction of each line, and code as code. */
import type { CodeEditor } from '@jupyterlab/codeeditor';
import { syntaxTree } from '@codemirror/language';
import { RangeSetBuilder, type Extension } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  ViewPlugin,
  type DecorationSet,
  type ViewUpdate
} from '@codemirror/view';

import { lineDirection } from '../../ui/direction';
import { textName } from './cellname';

const CODE_LINE = Decoration.line({ class: 'jp-Turnbook-codeLine' });

/** Marks the visible lines of fenced code. */
const codeLines = ViewPlugin.define(
  view => {
    const plugin = {
      lines: linesOf(view),
      update: (update: ViewUpdate) => {
        if (
          update.docChanged ||
          update.viewportChanged ||
          syntaxTree(update.state) !== syntaxTree(update.startState)
        ) {
          plugin.lines = linesOf(update.view);
        }
      }
    };
    return plugin;
  },
  { decorations: plugin => plugin.lines }
);

const PROSE: readonly Extension[] = [
  EditorView.editorAttributes.of({ class: 'jp-Turnbook-prose' }),
  lineDirection,
  codeLines
];

/** Editors of messages, from a factory of editors for code. */
export function proseEditors(create: CodeEditor.Factory): CodeEditor.Factory {
  return options => {
    const { extensions = [] } = options as { extensions?: Extension[] };
    const { type = '' } = options.model as { type?: string };
    const name = EditorView.contentAttributes.of({
      'aria-label': textName(type)
    });
    const prose = { ...options, extensions: [...extensions, ...PROSE, name] };
    return create(prose);
  };
}

function linesOf(view: EditorView): DecorationSet {
  const lines = new RangeSetBuilder<Decoration>();
  const { doc } = view.state;
  let done = 0;
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from,
      to,
      enter: node => {
        if (node.name !== 'FencedCode') {
          return true;
        }
        let line = doc.lineAt(Math.max(node.from, from));
        const last = doc.lineAt(Math.min(node.to, to)).number;
        for (; ; line = doc.line(line.number + 1)) {
          if (line.number > done) {
            lines.add(line.from, line.from, CODE_LINE);
            done = line.number;
          }
          if (line.number >= last) {
            return false;
          }
        }
      }
    });
  }
  return lines.finish();
}
