import type {
  Cell,
  CodeCell,
  IInputPrompt,
  MarkdownCell,
  RawCell
} from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';
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
import { element } from '../../ui/dom';
import { Drawing } from './drawing';
import { HiddenNotice } from './hiddennotice';
import { Numbering } from './numbering';
import { keepEditorStyles } from '../../labpatch/editorstyles';
import { takeOverWork } from '../../labpatch/notebookwork';
import { endScrolling } from '../../labpatch/scrollwait';
import { windowingMode } from '../../labpatch/windowing';
import { estimateHeight } from '../../ui/heights';
import { wordsIn } from '../../ui/translation';
import { isDrawn, isFiltered, nearest, setFiltered } from './sight';

/** The cells of a chat. */
export class ChatNotebook extends Notebook {
  constructor(options: Notebook.IOptions) {
    super(options);
    this.addClass('jp-Turnbook-notebook');
    this._empty = element('div', 'jp-Turnbook-empty');
    this._empty.tabIndex = -1;
    this._allHidden = new HiddenNotice(
      () => wordsIn({ translator: this.translator }),
      text => this._filterRequested.emit(text)
    );
    this.node.append(this._empty, this._allHidden.node);
    this.outerNode.append(this.belowNode);
    this._drawing = new Drawing({
      cells: () => this.widgets,
      height: heightOf,
      view: () => this.outerNode,
      active: () => this.activeCellIndex,
      draw: (cell, index) => this.draw(cell, index),
      gap: (cell, isGap) => cell.toggleClass('jp-mod-gap', isGap)
    });
    takeOverWork(this);
    endScrolling(this);
    this.viewModel.estimateWidgetSize = index => {
      const cell = this.widgets[index];
      // JupyterLab asks for all cells, and those that are not drawn take no space.
      return cell && isDrawn(cell) ? heightOf(cell) : 0;
    };
    this._updateEmpty();
  }

  /** Where lines after the last cell are; only the user scrolls to them. */
  readonly belowNode = element('div', 'jp-Turnbook-below');

  /** Emitted once with the cell of each pair that is about to be drawn. */
  get pairDrawing(): ISignal<this, PairCell> {
    return this._pairDrawing;
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
    const cells = this.widgets.filter(cell => !isSpare(cell));
    this.toggleClass('jp-mod-allHidden', this._allHidden.show(cells, wider));
    this._numbering.invalidate();
    this._isAnyVisible = visible.includes(1);
    this._showFeed();
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
      if (cell instanceof PairCell) {
        this._pairDrawing.emit(cell);
      }
      (this.layout as PanelLayout).insertWidget(index, cell);
      this._numbering.tell(cell, index);
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
    return this._bottom - this.outerNode.scrollTop < 48;
  }

  /** Scroll to the end of the chat; never moves the focus. */
  scrollToBottom(): void {
    this.outerNode.scrollTop = this._bottom;
  }

  private get _bottom(): number {
    const { scrollHeight, clientHeight } = this.outerNode;
    return scrollHeight - clientHeight - this.belowNode.offsetHeight;
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
    if (!cell || isFiltered(cell) || isSpare(cell)) {
      const shown = this.hasClass('jp-mod-allHidden')
        ? this._allHidden.node
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
    this._numbering.update(super.widgets);
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
    this._numbering?.invalidate();
    this._updateEmpty();
    if (cell instanceof PairCell) {
      this._pairs?.set(cell.model.id, cell);
    } else {
      this._showLock(cell);
    }
  }

  protected override onCellRemoved(index: number, cell: Cell): void {
    super.onCellRemoved(index, cell);
    this._numbering.invalidate();
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

  /** With the focus in a hidden cell, no key would work. */
  private _keepFocus(): void {
    const cell = this.widgets.find(({ node }) =>
      node.contains(document.activeElement)
    );
    if (cell && isFiltered(cell)) {
      this.activate();
    }
  }

  private _updateEmpty(): void {
    const isEmpty = this.widgets.every(isSpare);
    // A long chat asks with every cell that is added.
    if (isEmpty !== this._isEmpty) {
      this._isEmpty = isEmpty;
      this.toggleClass('jp-mod-empty', isEmpty);
      this._showFeed();
    }
  }

  /** The cells are articles of a feed; screen readers would announce one without articles. */
  private _showFeed(): void {
    const isFeed = this._isAnyVisible && !this.hasClass('jp-mod-empty');
    this.viewportNode.setAttribute('role', isFeed ? 'feed' : 'group');
  }

  private _allHidden: HiddenNotice;
  private _drawing: Drawing;
  private _drawn: ReadonlyArray<Cell> | null = null;
  private _empty: HTMLElement;
  private _filterRequested = new Signal<this, string>(this);
  private _isAnyVisible = true;
  private _isEmpty: boolean | null = null;
  private _moveRequested = new Signal<this, ICellMove>(this);
  private _numbering = new Numbering();
  private _pairDrawing = new Signal<this, PairCell>(this);
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

/** Whether a cell is the empty one of an empty chat. */
function isSpare(cell: Cell): boolean {
  return cell instanceof PairCell && cell.isSpare;
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
  windowingMode: windowingMode()
};
