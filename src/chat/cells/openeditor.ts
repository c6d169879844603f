import type { ISignal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';

/** An editor that takes the place of a part of a cell. */
export interface ICellEditor extends Widget {
  /** The current text. */
  readonly text: string;
  /** Emitted with the new text, or null if the user canceled. */
  readonly closed: ISignal<unknown, string | null>;
}

/** What is edited in a cell. */
export type Edited = 'message' | 'reply';

/** The classes of a cell while a part of it is edited. */
const CLASSES: Record<Edited, string> = {
  message: 'jp-mod-resending',
  reply: 'jp-mod-rewriting'
};

/** The editor that is open in a cell, one at a time. */
export class OpenEditor {
  constructor(
    private _cell: Widget,
    private _insert: (editor: Widget) => void
  ) {}

  /** What is being edited; null if nothing. */
  get edited(): Edited | null {
    return this._open?.edited ?? null;
  }

  /**
   * Open an editor; resolves with the new text, or null if the user canceled.
   *
   * @param onLost - Called with the text if the editor is closed without a decision.
   */
  ask(
    edited: Edited,
    editor: ICellEditor,
    onLost?: (text: string) => void
  ): Promise<string | null> {
    this._open?.editor.dispose();
    const open = (this._open = { edited, editor });
    this._insert(editor);
    this._cell.addClass(CLASSES[edited]);
    return new Promise(resolve => {
      let isAnswered = false;
      const close = (text: string | null) => {
        if (this._open === open) {
          this._open = null;
          this._cell.removeClass(CLASSES[edited]);
        }
        // The first result counts; disposing emits again.
        resolve(text);
        editor.dispose();
      };
      editor.closed.connect((_, text) => {
        isAnswered = true;
        close(text);
      });
      editor.disposed.connect(() => {
        if (!isAnswered) {
          onLost?.(editor.text);
        }
        close(null);
      });
    });
  }

  private _open: { edited: Edited; editor: ICellEditor } | null = null;
}
