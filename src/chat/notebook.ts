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

import {
  isFiltered,
  LabelPrompt,
  NoteCell,
  PairCell,
  setFiltered,
  SystemCell
} from './cell';
import { button, element } from './dom';

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
    this._allHidden = element('div', 'jp-Turnbook-allHidden');
    this._allHidden.setAttribute('role', 'status');
    this.node.append(this._empty, this._allHidden);
    this._updateEmpty();
  }

  /** Emitted with each pair's cell that comes into view of this notebook. */
  get pairAdded(): ISignal<this, PairCell> {
    return this._pairAdded;
  }

  /** Emitted when the user wants to see everything again. */
  get showAllRequested(): ISignal<this, void> {
    return this._showAllRequested;
  }

  /** What is selected and can be seen. */
  override get selectedCells(): Cell[] {
    return super.selectedCells.filter(cell => !isFiltered(cell));
  }

  /**
   * Show the cells whose flag is 1 and hide the others.
   *
   * The active cell is always one that can be seen, if there is any.
   */
  filter(visible: Uint8Array): void {
    let hidden = 0;
    this.widgets.forEach((cell, index) => {
      const out = visible[index] === 0;
      setFiltered(cell, out);
      hidden += out ? 1 : 0;
    });
    const active = this.activeCell;
    if (active && isFiltered(active)) {
      const next = nearest(this.widgets, this.activeCellIndex);
      if (next !== -1) {
        this.activeCellIndex = next;
        this.deselectAll();
      }
    }
    this._showHidden(hidden);
    // Cells that were passed over while they were hidden are drawn now.
    this.update();
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

  /** No place to click for a new cell: messages are written in the composer. */
  protected override addFooter(): void {
    return;
  }

  protected override onCellInserted(index: number, cell: Cell): void {
    super.onCellInserted(index, cell);
    if (cell instanceof PairCell) {
      this._pairAdded?.emit(cell);
    }
  }

  private _showHidden(hidden: number): void {
    const all = hidden > 0 && hidden === this.widgets.length;
    this.toggleClass('jp-mod-allHidden', all);
    this._allHidden.replaceChildren(
      ...(all
        ? [
            element(
              'p',
              '',
              `The filter hides all ${hidden} cells. Only your message would be sent.`
            ),
            button('Show all', 'jp-Turnbook-button', () =>
              this._showAllRequested.emit()
            )
          ]
        : [])
    );
  }

  private _updateEmpty(): void {
    const spare = this.widgets.every(
      cell => cell instanceof PairCell && cell.hasClass('jp-mod-spare')
    );
    this.toggleClass('jp-mod-empty', spare);
  }

  private _allHidden: HTMLElement;
  private _empty: HTMLElement;
  private _pairAdded = new Signal<this, PairCell>(this);
  private _showAllRequested = new Signal<this, void>(this);
}

/** The place of the visible cell that is nearest to `from`, the later one first; -1 if none is. */
function nearest(cells: readonly Cell[], from: number): number {
  for (let step = 1; step < cells.length; step++) {
    for (const index of [from + step, from - step]) {
      if (cells[index] && !isFiltered(cells[index])) {
        return index;
      }
    }
  }
  return -1;
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
