import type { Cell } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';
import {
  type CodeCell,
  type MarkdownCell,
  type RawCell,
  type IInputPrompt
} from '@jupyterlab/cells';
import { Notebook, NotebookPanel, StaticNotebook } from '@jupyterlab/notebook';
import type { Message } from '@lumino/messaging';
import { Signal, type ISignal } from '@lumino/signaling';

import {
  isFiltered,
  LabelPrompt,
  NoteCell,
  PairCell,
  setFiltered,
  setWaiting,
  SystemCell
} from './cell';
import { button, element } from './dom';

/** How many cells are drawn at once, before anything else: drawing one takes milliseconds. */
const SCREENFUL = 12;

/** How many more are drawn at a time when the page is idle. */
const BATCH = 6;

/** How long the page may be busy before some are drawn all the same. */
const IDLE_MS = 500;

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
    for (const node of [this._empty, this._allHidden]) {
      node.tabIndex = -1;
    }
    this.node.append(this._empty, this._allHidden);
    this.activeCellChanged.connect((_, cell) => {
      if (cell) {
        setWaiting(cell, false);
      }
    });
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

  /** Dragging takes what this says, and must not take what cannot be seen. */
  override isSelectedOrActive(cell: Cell): boolean {
    return !isFiltered(cell) && super.isSelectedOrActive(cell);
  }

  /** Extend the selection to the next cell that can be seen. */
  extendSelection(step: -1 | 1): void {
    let index = this.activeCellIndex + step;
    while (this.widgets[index] && isFiltered(this.widgets[index])) {
      index += step;
    }
    const cell = this.widgets[index];
    if (cell) {
      this.extendContiguousSelectionTo(index);
      cell.node.scrollIntoView({ block: 'nearest' });
      // Keys count only in the active cell.
      this.activate();
    }
  }

  /**
   * Show the cells whose flag is 1 and hide the others.
   *
   * The active cell is always one that can be seen, if there is any. A selection that a change
   * goes through ends: nobody chose what comes into view within it.
   */
  filter(visible: Uint8Array): void {
    let cut = false;
    this.widgets.forEach((cell, index) => {
      const out = visible[index] === 0;
      if (out !== isFiltered(cell)) {
        cut ||= this.isSelected(cell);
        setFiltered(cell, out);
      }
    });
    if (cut) {
      this.deselectAll();
    }
    const active = this.activeCell;
    if (active && isFiltered(active)) {
      const next = nearest(this.widgets, this.activeCellIndex);
      if (next !== -1) {
        this.activeCellIndex = next;
        this.deselectAll();
      }
    }
    this._showHidden();
    if (this.node.contains(document.activeElement)) {
      // What has the focus may have been hidden with its cell.
      this._keepFocus();
    }
    this._drawFromEnd();
    // Cells that were passed over while they were hidden are drawn now.
    this.update();
  }

  /** Search looks through what is drawn. */
  override renderCellOutputs(index: number): void {
    setWaiting(this.widgets[index], false);
    super.renderCellOutputs(index);
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
    (oldValue as INotebookModel | null)?.contentChanged.disconnect(
      this._updateEmpty,
      this
    );
    (newValue as INotebookModel | null)?.contentChanged.connect(
      this._updateEmpty,
      this
    );
    this._updateEmpty();
  }

  /** With no cell to be seen, what stands in their place takes the focus. */
  protected override onActivateRequest(msg: Message): void {
    super.onActivateRequest(msg);
    const cell = this.activeCell;
    if (!cell || isFiltered(cell) || cell.hasClass('jp-mod-spare')) {
      const shown = this.hasClass('jp-mod-allHidden')
        ? this._allHidden
        : this._empty;
      shown.focus({ preventScroll: true });
    }
  }

  /** No place to click for a new cell: messages are written in the composer. */
  protected override addFooter(): void {
    return;
  }

  protected override onCellInserted(index: number, cell: Cell): void {
    super.onCellInserted(index, cell);
    this._updateEmpty();
    if (cell instanceof PairCell) {
      this._pairAdded?.emit(cell);
    }
  }

  /** The focus must not be in a cell that cannot be seen, or no key would work. */
  private _keepFocus(): void {
    const cell = this.widgets.find(({ node }) =>
      node.contains(document.activeElement)
    );
    if (cell && isFiltered(cell)) {
      this.activate();
    }
  }

  /** Say that no pair is left to see, and how to see them again. */
  /**
   * Draw a long chat from its end, where it is read.
   *
   * JupyterLab's idle renderer begins at the first cell; the earlier ones wait for their turn.
   */
  private _drawFromEnd(): void {
    cancelIdleCallback(this._drawing);
    const undrawn = this.widgets.filter(
      cell => cell.inputArea === null && !isFiltered(cell)
    );
    const batch = undrawn.splice(-SCREENFUL);
    batch.forEach(cell => setWaiting(cell, false));
    undrawn.forEach(cell => setWaiting(cell, true));
    this._drawWhenIdle(undrawn, batch);
  }

  /** When nobody needs the page and the cells before are drawn, a few more may be. */
  private _drawWhenIdle(undrawn: Cell[], batch: Cell[]): void {
    if (!undrawn.length) {
      return;
    }
    this._drawing = requestIdleCallback(
      () => {
        if (this.isDisposed) {
          return;
        }
        if (batch.every(cell => cell.isDisposed || cell.inputArea !== null)) {
          batch = undrawn.splice(-BATCH);
          batch.forEach(cell => setWaiting(cell, false));
          this.update();
        }
        this._drawWhenIdle(undrawn, batch);
      },
      { timeout: IDLE_MS }
    );
  }

  private _showHidden(): void {
    const cells = this.widgets.filter(cell => !cell.hasClass('jp-mod-spare'));
    const hidden = cells.filter(isFiltered);
    const pairs = count('code', cells);
    const all = hidden.length > 0 && count('code', hidden) === pairs;
    this.toggleClass('jp-mod-allHidden', all);
    this._allHidden.classList.toggle(
      'jp-mod-others',
      hidden.length < cells.length
    );
    if (!all) {
      this._allHidden.replaceChildren();
      return;
    }
    const what = pairs ? `all ${pairs} pairs` : 'all system messages';
    const sent =
      count('raw', hidden) < count('raw', cells)
        ? 'Only the system messages and yours would be sent.'
        : 'Only your message would be sent.';
    this._allHidden.replaceChildren(
      element('p', '', `The filter hides ${what}. ${sent}`),
      button('Show all', 'jp-Turnbook-button', () =>
        this._showAllRequested.emit()
      )
    );
  }

  private _updateEmpty(): void {
    const spare = this.widgets.every(
      cell => cell instanceof PairCell && cell.hasClass('jp-mod-spare')
    );
    this.toggleClass('jp-mod-empty', spare);
  }

  private _allHidden: HTMLElement;
  private _drawing = 0;
  private _empty: HTMLElement;
  private _pairAdded = new Signal<this, PairCell>(this);
  private _showAllRequested = new Signal<this, void>(this);
}

function count(type: string, cells: readonly Cell[]): number {
  return cells.filter(({ model }) => model.type === type).length;
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
