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
import type { PanelLayout } from '@lumino/widgets';

import { hasLock, isReplayed } from '../../document/lock';
import type { IWider } from '../../filter/wider';
import { PairCell } from '../cells/cell';
import { LabelPrompt } from '../cells/labelprompt';
import { NoteCell } from '../cells/notecell';
import { SystemCell } from '../cells/systemcell';
import { button, element, setChildren } from '../../ui/dom';
import { Drawing } from './drawing';
import { keepEditorStyles } from '../../labpatch/editorstyles';
import { takeOverWork } from '../../labpatch/notebookwork';
import { estimateHeight } from '../../ui/heights';
import { wordsIn } from '../../ui/translation';
import { isDrawn, isFiltered, nearest, setFiltered } from './sight';

/**
 * The cells of a chat.
 */
export class ChatNotebook extends Notebook {
  constructor(options: Notebook.IOptions) {
    super(options);
    this.addClass('jp-Turnbook-notebook');
    this._empty = element('div', 'jp-Turnbook-empty');
    this._allHidden = element('div', 'jp-Turnbook-allHidden');
    this._allHidden.setAttribute('role', 'status');
    for (const node of [this._empty, this._allHidden]) {
      node.tabIndex = -1;
    }
    this.node.append(this._empty, this._allHidden);
    this._drawing = new Drawing({
      cells: () => this.widgets,
      height: heightOf,
      view: () => this.outerNode,
      active: () => this.activeCellIndex,
      draw: (cell, index) => this.draw(cell, index),
      gap: (cell, isGap) => cell.toggleClass('jp-mod-gap', isGap)
    });
    takeOverWork(this, () => this._endSelections());
    this.viewModel.estimateWidgetSize = index => {
      const cell = this.widgets[index];
      // JupyterLab asks for all cells, and those that are not drawn take no space.
      return cell && isDrawn(cell) ? heightOf(cell) : 0;
    };
    this._updateEmpty();
  }

  /** Emitted with the cell of each pair that is added. */
  get pairAdded(): ISignal<this, PairCell> {
    return this._pairAdded;
  }

  /** Emitted once with the cell of each pair that is drawn. */
  get pairDrawn(): ISignal<this, PairCell> {
    return this._pairDrawn;
  }

  /** Emitted with another filter that the user wants; an empty one shows everything. */
  get filterRequested(): ISignal<this, string> {
    return this._filterRequested;
  }

  /** The selected cells that are visible. */
  override get selectedCells(): Cell[] {
    return super.selectedCells.filter(cell => !isFiltered(cell));
  }

  /** Dragging uses this, and must not drag hidden cells. */
  override isSelectedOrActive(cell: Cell): boolean {
    return !isFiltered(cell) && super.isSelectedOrActive(cell);
  }

  /** Emitted when the user drags visible cells in front of another one, or to the end. */
  get moveRequested(): ISignal<this, ICellMove> {
    return this._moveRequested;
  }

  /** JupyterLab would move the hidden cells between them too, and locked ones. */
  override moveCell(from: number, to: number, n = 1): void {
    const { widgets } = this;
    const cells = widgets
      .slice(from)
      .filter(cell => !isFiltered(cell))
      .slice(0, n);
    const before = widgets[to > from ? to + 1 : to] ?? null;
    if (!cells.includes(before)) {
      this._moveRequested.emit({ cells, before });
    }
  }

  /** Extend the selection to the next visible cell. */
  extendSelection(step: -1 | 1): void {
    let index = this.activeCellIndex + step;
    while (this.widgets[index] && isFiltered(this.widgets[index])) {
      index += step;
    }
    const cell = this.widgets[index];
    if (cell) {
      this.extendContiguousSelectionTo(index);
      cell.node.scrollIntoView({ block: 'nearest' });
      // Keys work only in the active cell.
      this.activate();
    }
  }

  /**
   * Show the cells whose flag is 1 and hide the others.
   *
   * The active cell is always visible, if any cell is. A selection that contains changed cells is
   * cleared, since the user did not select what appears in it.
   *
   * @param visible - A flag for each cell.
   * @param wider - Returns a filter to offer if no pair is visible.
   */
  filter(visible: Uint8Array, wider: () => IWider | null = () => null): void {
    // A selection may span hidden cells, but it starts and ends at visible ones.
    const selects = super.selectedCells.some(cell => this.isSelected(cell));
    let cut = false;
    this.widgets.forEach((cell, index) => {
      const out = visible[index] === 0;
      if (out !== isFiltered(cell)) {
        cut ||= selects && this.isSelected(cell);
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
        if (selects) {
          this.deselectAll();
        }
      }
    }
    this._showHidden(wider);
    if (this.node.contains(document.activeElement)) {
      // The focused element may have been hidden with its cell.
      this._keepFocus();
    }
    // Draw cells that were skipped while they were hidden.
    this.update();
  }

  /** Draw a visible cell now, out of turn. */
  draw(cell: Cell, index = this.widgets.indexOf(cell)): void {
    if (this.isAttached && cell.isPlaceholder()) {
      cell.dataset.windowedListIndex = `${index}`;
      cell.node.style.containIntrinsicSize = `auto ${heightOf(cell)}px`;
      (this.layout as PanelLayout).insertWidget(index, cell);
      if (cell instanceof PairCell) {
        this._pairDrawn.emit(cell);
      }
    }
  }

  /** What is shown in a chat without cells. */
  get emptyNode(): HTMLElement {
    return this._empty;
  }

  /** The cells of pairs, by id. */
  get pairs(): ReadonlyMap<string, PairCell> {
    return this._pairs;
  }

  /** The cell of a pair. */
  pair(id: string): PairCell | null {
    return this._pairs.get(id) ?? null;
  }

  /** All cells; while classes are set, only those in the page. */
  override get widgets(): ReadonlyArray<Cell> {
    return this._drawn ?? super.widgets;
  }

  override dispose(): void {
    this._drawing.dispose();
    super.dispose();
  }

  /** Whether the end of the chat is visible. */
  get atBottom(): boolean {
    const { scrollTop, scrollHeight, clientHeight } = this.outerNode;
    return scrollHeight - scrollTop - clientHeight < 48;
  }

  /** Scroll to the end of the chat; never moves the focus. */
  scrollToBottom(): void {
    this.outerNode.scrollTop = this.outerNode.scrollHeight;
  }

  /** Lock or unlock the system cells and notes that came with a replay. */
  showLocks(): void {
    for (const cell of this.widgets) {
      if (!(cell instanceof PairCell)) {
        this._showLock(cell);
      }
    }
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

  /** If no cell is visible, the notice in their place takes the focus. */
  protected override onActivateRequest(msg: Message): void {
    super.onActivateRequest(msg);
    const cell = this.activeCell;
    if (
      !cell ||
      isFiltered(cell) ||
      (cell instanceof PairCell && cell.isSpare)
    ) {
      const shown = this.hasClass('jp-mod-allHidden')
        ? this._allHidden
        : this._empty;
      shown.focus({ preventScroll: true });
    }
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    keepEditorStyles();
    // Cells that were added before could not be drawn.
    this.update();
  }

  /** Draw what is missing, and set the classes of selection and focus on drawn cells. */
  protected override onUpdateRequest(msg: Message): void {
    this._drawing.begin();
    this._drawn = super.widgets.filter(isDrawn);
    super.onUpdateRequest(msg);
    this._drawn = null;
  }

  /** No footer for adding cells: messages are written in the composer. */
  protected override addFooter(): void {
    return;
  }

  protected override onCellInserted(index: number, cell: Cell): void {
    super.onCellInserted(index, cell);
    this._updateEmpty();
    if (cell instanceof PairCell) {
      this._pairs?.set(cell.model.id, cell);
      this._pairAdded?.emit(cell);
    } else {
      this._showLock(cell);
    }
  }

  protected override onCellRemoved(index: number, cell: Cell): void {
    super.onCellRemoved(index, cell);
    // Moving a cell creates the new one before the old one is disposed.
    if (this._pairs.get(cell.model.id) === cell) {
      this._pairs.delete(cell.model.id);
    }
  }

  /** A cell that came with a replay; pairs do the same with what else they know. */
  private _showLock(cell: Cell): void {
    if (isReplayed(cell.model.sharedModel)) {
      cell.syncEditable = false;
      cell.readOnly = hasLock(this.model!.sharedModel);
    }
  }

  /** Text is selected in one cell at a time. */
  private _endSelections(): void {
    for (const cell of this.widgets) {
      const { editor } = cell;
      if (cell === this.activeCell || !editor) {
        continue;
      }
      const { start, end } = editor.getSelection();
      if (start.line !== end.line || start.column !== end.column) {
        cell.model.selections.delete(editor.uuid);
        editor.setCursorPosition(editor.getCursorPosition(), { scroll: false });
      }
    }
  }

  /** With the focus in a hidden cell, no key would work. */
  private _keepFocus(): void {
    const cell = this.widgets.find(({ node }) =>
      node.contains(document.activeElement)
    );
    if (cell && isFiltered(cell)) {
      this.activate();
    }
  }

  /** Say that all pairs are hidden, and how to show them again. */
  private _showHidden(wider: () => IWider | null): void {
    // The number of cells of each kind, and of the hidden ones.
    const all = { pairs: 0, system: 0, others: 0 };
    const hidden = { pairs: 0, system: 0, others: 0 };
    for (const cell of this.widgets) {
      const { type } = cell.model;
      const kind =
        type === 'code' ? 'pairs' : type === 'raw' ? 'system' : 'others';
      if (!(cell instanceof PairCell && cell.isSpare)) {
        all[kind]++;
        hidden[kind] += isFiltered(cell) ? 1 : 0;
      }
    }
    const someHidden = sum(hidden) > 0;
    const allHidden = someHidden && hidden.pairs === all.pairs;
    this.toggleClass('jp-mod-allHidden', allHidden);
    this._allHidden.classList.toggle('jp-mod-others', sum(hidden) < sum(all));
    if (!allHidden) {
      setChildren(this._allHidden, []);
      return;
    }
    const trans = wordsIn({ translator: this.translator });
    const what = all.pairs
      ? trans._n(
          'The filter hides the only pair.',
          'The filter hides all %1 pairs.',
          all.pairs
        )
      : trans.__('The filter hides all system messages.');
    const sent =
      hidden.system < all.system
        ? trans.__('Only the system messages and yours would be sent.')
        : trans.__('Only your message would be sent.');
    const more = wider();
    const offer = (label: string, text: string) =>
      button(label, 'jp-Turnbook-button', () =>
        this._filterRequested.emit(text)
      );
    setChildren(this._allHidden, [
      element('p', '', `${what} ${sent}`),
      ...(more
        ? [offer(trans.__('%1 has %2', more.text, more.pairs), more.text)]
        : []),
      offer(trans.__('Show all'), '')
    ]);
  }

  private _updateEmpty(): void {
    const spare = this.widgets.every(
      cell => cell instanceof PairCell && cell.isSpare
    );
    this.toggleClass('jp-mod-empty', spare);
  }

  private _allHidden: HTMLElement;
  private _drawing: Drawing;
  private _drawn: ReadonlyArray<Cell> | null = null;
  private _empty: HTMLElement;
  private _filterRequested = new Signal<this, string>(this);
  private _moveRequested = new Signal<this, ICellMove>(this);
  private _pairAdded = new Signal<this, PairCell>(this);
  private _pairDrawn = new Signal<this, PairCell>(this);
  private _pairs = new Map<string, PairCell>();
}

/** Cells that are moved in front of another one; null is the end. */
export interface ICellMove {
  cells: readonly Cell[];
  before: Cell | null;
}

/** The estimated height of a cell, from its texts. */
function heightOf(cell: Cell): number {
  return estimateHeight(
    cell instanceof PairCell
      ? cell.visibleTexts
      : [cell.model.sharedModel.getSource()]
  );
}

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((all, count) => all + count, 0);
}

/** Creates a chat's notebook and cells. */
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

/** Chats are prose: lines wrap, and brackets are not matched. */
export const EDITOR_CONFIG: StaticNotebook.IEditorConfig = {
  code: { ...StaticNotebook.defaultEditorConfig.raw },
  markdown: { ...StaticNotebook.defaultEditorConfig.markdown },
  raw: { ...StaticNotebook.defaultEditorConfig.raw }
};

/** Everything that belongs to kernels is off. */
export const NOTEBOOK_CONFIG: StaticNotebook.INotebookConfig = {
  ...StaticNotebook.defaultNotebookConfig,
  // Everything that is sent is shown.
  maxNumberOutputs: Infinity,
  scrollPastEnd: false,
  showHiddenCellsButton: false,
  windowingMode: 'contentVisibility'
};
