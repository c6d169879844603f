import type { Cell } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';
import {
  CodeCell,
  type MarkdownCell,
  type RawCell,
  type IInputPrompt
} from '@jupyterlab/cells';
import { Notebook, NotebookPanel, StaticNotebook } from '@jupyterlab/notebook';
import { Signal, type ISignal } from '@lumino/signaling';

import { LabelPrompt, NoteCell, PairCell, SystemCell } from './cell';
import { element } from './dom';

/**
 * The cells of a chat.
 */
export class ChatNotebook extends Notebook {
  constructor(options: Notebook.IOptions) {
    super(options);
    this.addClass('jp-Turnbook-notebook');
    this._empty = element('div', 'jp-Turnbook-empty');
    const title = element('h2', '', 'A chat that is a notebook');
    const hint = element(
      'p',
      '',
      'Write a message below and press Enter. Each message and its reply become a cell, and the cells you see are what the model gets.'
    );
    this._empty.append(title, hint);
    this.node.append(this._empty);
    this._updateEmpty();
  }

  /** Emitted with each pair's cell that comes into view of this notebook. */
  get pairAdded(): ISignal<this, PairCell> {
    return this._pairAdded;
  }

  /** The cell of a pair. */
  pair(id: string): PairCell | null {
    const cell = this.widgets.find(widget => widget.model.id === id);
    return cell instanceof PairCell ? cell : null;
  }

  /** Whether the end of the chat can be seen. */
  get atBottom(): boolean {
    const { scrollTop, scrollHeight, clientHeight } = this.outerNode;
    return scrollHeight - scrollTop - clientHeight < 48;
  }

  /** Show the end of the chat; never moves the focus. */
  scrollToBottom(): void {
    this.outerNode.scrollTop = this.outerNode.scrollHeight;
  }

  protected override onModelChanged(
    oldValue: INotebookModel,
    newValue: INotebookModel
  ): void {
    super.onModelChanged(oldValue, newValue);
    (oldValue as INotebookModel | null)?.contentChanged.disconnect(this._updateEmpty, this);
    (newValue as INotebookModel | null)?.contentChanged.connect(this._updateEmpty, this);
    this._updateEmpty();
  }

  protected override onCellInserted(index: number, cell: Cell): void {
    super.onCellInserted(index, cell);
    if (cell instanceof PairCell) {
      this._pairAdded?.emit(cell);
    }
  }

  private _updateEmpty(): void {
    const spare = this.widgets.every(
      cell => cell instanceof PairCell && cell.hasClass('jp-mod-spare')
    );
    this.toggleClass('jp-mod-empty', spare);
  }

  private _empty: HTMLElement;
  private _pairAdded = new Signal<this, PairCell>(this);
}

/**
 * Makes a chat's notebook and cells.
 */
export class ChatContentFactory extends NotebookPanel.ContentFactory {
  override createNotebook(options: Notebook.IOptions): ChatNotebook {
    return new ChatNotebook(options);
  }

  override createCodeCell(options: CodeCell.IOptions): CodeCell {
    return new PairCell(options).initializeState();
  }

  override createRawCell(options: RawCell.IOptions): RawCell {
    return new SystemCell(options).initializeState();
  }

  override createMarkdownCell(options: MarkdownCell.IOptions): MarkdownCell {
    return new NoteCell(options).initializeState();
  }

  override createInputPrompt(): IInputPrompt {
    return new LabelPrompt();
  }
}

/** Chats are prose: wrapped lines, no brackets to match. */
export const EDITOR_CONFIG: StaticNotebook.IEditorConfig = {
  code: { ...StaticNotebook.defaultEditorConfig.raw },
  markdown: { ...StaticNotebook.defaultEditorConfig.markdown },
  raw: { ...StaticNotebook.defaultEditorConfig.raw }
};

/** Everything that belongs to kernels is off. */
export const NOTEBOOK_CONFIG: StaticNotebook.INotebookConfig = {
  ...StaticNotebook.defaultNotebookConfig,
  scrollPastEnd: false,
  showHiddenCellsButton: false,
  windowingMode: 'contentVisibility'
};
