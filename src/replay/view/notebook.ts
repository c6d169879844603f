import type { Cell, CodeCell, IInputPrompt, RawCell } from '@jupyterlab/cells';
import {
  Notebook,
  NotebookPanel,
  type NotebookWindowedLayout
} from '@jupyterlab/notebook';
import { Signal, type ISignal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { LabelPrompt } from '../../chat/cells/cell';
import { button, setChildren } from '../../ui/dom';
import {
  ReplayPair,
  ReplaySystem,
  type IHovered,
  type IReplayCell
} from './cell';

/**
 * The cells of a replay. They can be looked at and selected, and nothing else.
 */
export class ReplayNotebook extends Notebook {
  constructor(options: Notebook.IOptions) {
    super(options);
    this.addClass('jp-Turnbook-replayNotebook');
  }

  /** Emitted when the user looks at an *Edited* chip, and with null when they no longer do. */
  get hovered(): ISignal<this, IHovered | null> {
    return this._hovered;
  }

  /** Emitted when the user wants to see the rest of the request, or no longer. */
  get moreRequested(): ISignal<this, void> {
    return this._moreRequested;
  }

  /** Say how many sections are not shown; with none left, offer to collapse; null offers nothing. */
  showMore(hidden: number | null): void {
    if (!this._footer) {
      return;
    }
    const label = hidden ? `View replayed prompt (${hidden} more)` : 'Collapse';
    const more = button(label, 'jp-Turnbook-link', () =>
      this._moreRequested.emit()
    );
    setChildren(this._footer.node, hidden === null ? [] : [more]);
  }

  /** Without cells the banner says why; nobody can add any. */
  protected override addHeader(): void {
    return;
  }

  /** No mode but the one in which keys move: there is nothing to write. */
  override get mode() {
    return super.mode;
  }
  override set mode(_) {
    super.mode = 'command';
  }

  override handleEvent(event: Event): void {
    if (BLOCKED.has(event.type)) {
      return;
    }
    super.handleEvent(event);
  }

  protected override addFooter(): void {
    this._footer = new Widget();
    this._footer.addClass('jp-Turnbook-replayMore');
    (this.layout as NotebookWindowedLayout).footer = this._footer;
  }

  protected override onCellInserted(index: number, cell: Cell): void {
    super.onCellInserted(index, cell);
    (cell as IReplayCell).hovered?.connect((_, hovered) =>
      this._hovered?.emit(hovered)
    );
  }

  private _footer: Widget | undefined;
  private _hovered = new Signal<this, IHovered | null>(this);
  private _moreRequested = new Signal<this, void>(this);
}

/** What would move cells in. */
const BLOCKED = new Set([
  'lm-dragenter',
  'lm-dragleave',
  'lm-dragover',
  'lm-drop'
]);

/** Makes a replay's notebook and cells. */
export class ReplayContentFactory extends NotebookPanel.ContentFactory {
  override createNotebook(options: Notebook.IOptions): ReplayNotebook {
    return new ReplayNotebook(options);
  }

  override createCodeCell(options: CodeCell.IOptions): CodeCell {
    return new ReplayPair(options).initializeState();
  }

  override createRawCell(options: RawCell.IOptions): RawCell {
    return new ReplaySystem(options).initializeState();
  }

  override createInputPrompt(): IInputPrompt {
    return new LabelPrompt();
  }
}
