import { unifiedMergeView } from '@codemirror/merge';
import { Compartment } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import * as React from 'react';
import type * as Y from 'yjs';

import { codeBase } from '../ui/codeview';
import { lineDirection } from '../ui/direction';
import { bindText, TYPING } from './textbinding';

/** Where the user clicked a text before its editor was there. */
export type Touch = { x: number; y: number } | null;

/** An editor of one text leaf, bound to its `Y.Text`; undo and redo belong to the draft. */
export function LeafEditor(props: {
  ytext: Y.Text;
  undoManager: Y.UndoManager;
  label: string;
  /** Whether the text is so long that it scrolls in its editor. */
  scrolls: boolean;
  /** What the text is compared with; null for no comparison. */
  original: string | null;
  /** If given, the editor takes the focus, at the clicked position. */
  touch: Touch | undefined;
  onUndo: () => void;
  onRedo: () => void;
  onLeave: () => void;
}): JSX.Element {
  const { ytext, undoManager, label, original, scrolls } = props;
  const parent = React.useRef<HTMLDivElement>(null);
  const view = React.useRef<EditorView | null>(null);
  const [compare] = React.useState(() => new Compartment());
  const latest = React.useRef(props);
  latest.current = props;

  React.useEffect(() => {
    undoManager.addTrackedOrigin(TYPING);
    const run = (act: (now: typeof props) => void) => () => {
      act(latest.current);
      return true;
    };
    const keys = [
      { key: 'Mod-z', run: run(now => now.onUndo()), preventDefault: true },
      { key: 'Mod-y', run: run(now => now.onRedo()), preventDefault: true },
      {
        key: 'Mod-Shift-z',
        run: run(now => now.onRedo()),
        preventDefault: true
      },
      { key: 'Escape', run: run(now => now.onLeave()) }
    ];
    const editor = new EditorView({
      doc: ytext.toString(),
      parent: parent.current!,
      extensions: [
        keymap.of(keys),
        codeBase({ label }),
        lineDirection,
        bindText(ytext),
        compare.of(comparison(latest.current.original))
      ]
    });
    view.current = editor;
    const { touch } = latest.current;
    if (touch !== undefined) {
      const at = touch && editor.posAtCoords(touch);
      editor.dispatch({ selection: { anchor: at ?? editor.state.doc.length } });
      editor.focus();
    }
    return () => {
      view.current = null;
      editor.destroy();
    };
  }, [ytext, undoManager, label, compare]);

  React.useEffect(() => {
    view.current?.dispatch({
      effects: compare.reconfigure(comparison(original))
    });
  }, [original, compare]);

  return (
    <div
      ref={parent}
      className={`jp-Turnbook-leafEditor${scrolls ? ' jp-mod-scrolls' : ''}`}
    />
  );
}

function comparison(original: string | null) {
  return original === null
    ? []
    : unifiedMergeView({
        original,
        allowInlineDiffs: true,
        mergeControls: false,
        gutter: false,
        syntaxHighlightDeletions: false,
        diffConfig: { scanLimit: 500, timeout: 200 }
      });
}
