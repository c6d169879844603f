import { Annotation, EditorState, type Extension } from '@codemirror/state';
import { ViewPlugin, type EditorView, type ViewUpdate } from '@codemirror/view';
import type * as Y from 'yjs';

/** The origin of typed changes, which undo managers track. */
export const TYPING = { name: 'typing' };

const fromText = Annotation.define<boolean>();

/**
 * Keep an editor and a `Y.Text` in sync.
 *
 * JupyterLab's own binding also keeps a `dirty` mark in the document, which a draft that remembers
 * every change would carry forever. Only `\n` ends a line, so that a `\r` stays in place.
 */
export function bindText(ytext: Y.Text): Extension {
  return [
    EditorState.lineSeparator.of('\n'),
    ViewPlugin.define(view => new TextBinding(view, ytext))
  ];
}

class TextBinding {
  constructor(
    private _view: EditorView,
    private _ytext: Y.Text
  ) {
    _ytext.observe(this._onText);
  }

  update(update: ViewUpdate): void {
    const isOwn = update.transactions.some(one => one.annotation(fromText));
    if (!update.docChanged || isOwn) {
      return;
    }
    const { doc } = this._ytext;
    doc?.transact(() => {
      let moved = 0;
      update.changes.iterChanges((from, to, _fromB, _toB, inserted) => {
        const text = inserted.sliceString(0, inserted.length, '\n');
        if (to > from) {
          this._ytext.delete(from + moved, to - from);
        }
        if (text) {
          this._ytext.insert(from + moved, text);
        }
        moved += text.length - (to - from);
      });
    }, TYPING);
  }

  destroy(): void {
    this._ytext.unobserve(this._onText);
  }

  private _onText = (event: Y.YTextEvent, transaction: Y.Transaction) => {
    if (transaction.origin === TYPING) {
      return;
    }
    const changes = [];
    let at = 0;
    let cursor = 0;
    let length = 0;
    for (const { insert, delete: deleted, retain } of event.delta) {
      if (typeof insert === 'string') {
        changes.push({ from: at, insert });
        length += insert.length;
        cursor = at + length;
      } else if (deleted) {
        changes.push({ from: at, to: at + deleted });
        at += deleted;
        length -= deleted;
        cursor = at + length;
      } else {
        at += retain ?? 0;
      }
    }
    this._view.dispatch({
      changes,
      ...(this._view.hasFocus
        ? { selection: { anchor: cursor }, scrollIntoView: true }
        : {}),
      annotations: fromText.of(true)
    });
  };
}
