import { RangeSetBuilder, type Extension } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  ViewPlugin,
  type DecorationSet,
  type ViewUpdate
} from '@codemirror/view';

const AUTO = Decoration.line({ attributes: { dir: 'auto' } });

/**
 * Lays each line of an editor out in the direction of its first letter.
 *
 * An attribute of the line, rather than a style: the editor's keys ask for the line's direction.
 */
export const lineDirection: Extension = [
  EditorView.perLineTextDirection.of(true),
  ViewPlugin.define(
    view => {
      const plugin = {
        lines: visibleLines(view),
        update: (update: ViewUpdate) => {
          if (update.docChanged || update.viewportChanged) {
            plugin.lines = visibleLines(update.view);
          }
        }
      };
      return plugin;
    },
    { decorations: plugin => plugin.lines }
  )
];

function visibleLines(view: EditorView): DecorationSet {
  const lines = new RangeSetBuilder<Decoration>();
  const { doc } = view.state;
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to;) {
      const line = doc.lineAt(at);
      lines.add(line.from, line.from, AUTO);
      at = line.to + 1;
    }
  }
  return lines.finish();
}
