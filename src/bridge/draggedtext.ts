import type { IEditorTracker } from '@jupyterlab/fileeditor';
import type { INotebookTracker } from '@jupyterlab/notebook';

import type { ChatPanel } from '../chat/panel';
import type { IAttachment } from '../document/attachments';
import {
  fileSelection,
  notebookSelection,
  shownSelection
} from './notebookparts';

/** An editor that is open: text that is dropped there is written there. */
const WRITABLE = '.cm-content[contenteditable="true"]';

/** Freezes text that is dragged from a notebook, also from what a cell shows, or from a file’s editor. */
export class DraggedText {
  constructor(private _options: DraggedText.IOptions) {
    document.addEventListener('dragstart', this._onStart, true);
    document.addEventListener('dragend', this._onEnd, true);
    // Its source may be gone by then: no `dragend` comes from an output that was replaced meanwhile.
    document.addEventListener('drop', this._onEnd);
  }

  /** Let such text be dropped on a chat; other text is inserted as the browser does. */
  accept(panel: ChatPanel): void {
    const { composer, node } = panel;
    const mark = (isOver: boolean) =>
      composer.node.classList.toggle('jp-mod-dropping', isOver);
    const take = (event: DragEvent): boolean => {
      if (!this._is(event) || (event.target as Element).closest(WRITABLE)) {
        mark(false);
        return false;
      }
      event.preventDefault();
      event.stopPropagation();
      return true;
    };
    node.addEventListener(
      'dragover',
      event => {
        if (take(event)) {
          // Moving it would take it out of its editor.
          event.dataTransfer!.dropEffect = 'copy';
          mark(true);
        }
      },
      true
    );
    node.addEventListener(
      'dragleave',
      event => {
        if (this._is(event)) {
          const to = event.relatedTarget;
          mark(to instanceof Node && node.contains(to));
        }
      },
      true
    );
    node.addEventListener(
      'drop',
      event => {
        const dragged = this._dragged;
        if (take(event)) {
          mark(false);
          this._onEnd();
          panel.attach(dragged!);
        }
      },
      true
    );
  }

  /** Whether such text is being dragged; files may be while the text that was dragged last is still known. */
  private _is({ dataTransfer }: DragEvent): boolean {
    return this._dragged !== null && !dataTransfer?.types.includes('Files');
  }

  private _onStart = ({ target }: DragEvent): void => {
    this._dragged = null;
    const { editors, notebooks } = this._options;
    const node = target as Node;
    const isEditor = !!node.parentElement?.closest('.cm-editor');
    if (!isEditor && !(node instanceof Text)) {
      // An image or a link.
      return;
    }
    const panel = notebooks?.find(one => one.node.contains(node));
    const file = editors?.find(one => one.node.contains(node));
    const cell = panel?.content.widgets.find(one => one.node.contains(node));
    const read = isEditor ? notebookSelection : shownSelection;
    const found = cell
      ? read(panel!, Date.now(), cell)
      : file && isEditor
        ? fileSelection(file.context.path, file.content.editor, Date.now())
        : [];
    this._dragged = found.length ? found : null;
  };

  private _onEnd = (): void => {
    this._dragged = null;
  };

  private _dragged: IAttachment[] | null = null;
}

/**
 * The namespace for `DraggedText` statics.
 */
export namespace DraggedText {
  export interface IOptions {
    notebooks: Pick<INotebookTracker, 'find'> | null;
    editors: Pick<IEditorTracker, 'find'> | null;
  }
}
