import type { Cell, CodeCell, IInputPrompt, RawCell } from '@jupyterlab/cells';
import {
  Notebook,
  NotebookPanel,
  type NotebookWindowedLayout
} from '@jupyterlab/notebook';
import type { Message } from '@lumino/messaging';
import { Signal, type ISignal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { trans } from '../../base/words';
import { LabelPrompt } from '../../chat/cells/labelprompt';
import { Numbering } from '../../chat/notebook/numbering';
import { button, setChildren } from '../../ui/dom';
import {
  ReplayPair,
  ReplaySystem,
  type IHovered,
  type IReplayCell
} from './cell';

/** The cells of a replay. They can be viewed and selected, nothing else. */
export class ReplayNotebook extends Notebook {
  constructor(options: Notebook.IOptions) {
    super(options);
    this.addClass('jp-Turnbook-replayNotebook');
  }

  /** Emitted when the user hovers over an *Edited* chip, and with null when they leave it. */
  get hovered(): ISignal<this, IHovered | null> {
    return this._hovered;
  }

  /** Emitted when the user asks for the rest of the request, or to collapse it. */
  get moreRequested(): ISignal<this, void> {
    return this._moreRequested;
  }

  /** Show how many sections are hidden; 0 offers to collapse them, null offers nothing. */
  showMore(hidden: number | null): void {
    if (!this._footer) {
      return;
    }
    const label = hidden
      ? trans.__('View replayed prompt (%1 more)', hidden)
      : trans.__('Collapse');
    const more = button(label, 'jp-Turnbook-link', () =>
      this._moreRequested.emit()
    );
    setChildren(this._footer.node, hidden === null ? [] : [more]);
  }

  /** Without cells the banner says why; none can be added. */
  protected override addHeader(): void {
    return;
  }

  /** Always command mode: there is nothing to edit. */
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

  protected override onUpdateRequest(msg: Message): void {
    this._numbering.update(this.widgets);
    // Screen readers would announce a feed without articles.
    const role = this.widgets.length ? 'feed' : 'group';
    this.viewportNode.setAttribute('role', role);
    super.onUpdateRequest(msg);
  }

  protected override onCellRemoved(index: number, cell: Cell): void {
    super.onCellRemoved(index, cell);
    this._numbering.invalidate();
    this.update();
  }

  protected override onCellInserted(index: number, cell: Cell): void {
    super.onCellInserted(index, cell);
    void cell.ready.then(() => {
      if (!cell.isDisposed) {
        this._numbering.invalidate();
        this.update();
      }
    });
    (cell as IReplayCell).hovered?.connect((_, hovered) =>
      this._hovered?.emit(hovered)
    );
  }

  private _footer: Widget | undefined;
  private _hovered = new Signal<this, IHovered | null>(this);
  private _moreRequested = new Signal<this, void>(this);
  private _numbering = new Numbering();
}

/** The events that would drop cells here. */
const BLOCKED = new Set([
  'lm-dragenter',
  'lm-dragleave',
  'lm-dragover',
  'lm-drop'
]);

/** Creates a replay's notebook and cells. */
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
