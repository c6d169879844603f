import {
  CodeCell,
  type CellModel,
  type ICodeCellModel,
  InputPrompt,
  MarkdownCell,
  RawCell
} from '@jupyterlab/cells';
import type { IMapChange } from '@jupyter/ydoc';
import type { PanelLayout } from '@lumino/widgets';
import { Signal, type ISignal } from '@lumino/signaling';

import { KEYS, readRunInfo } from '../document/metadata';
import { StreamingMarkdown } from '../render';
import type { LiveRun } from '../runs/live';
import { PairStatus } from './pairstatus';
import { pairView } from './pairview';

/**
 * A prompt that shows a word instead of an execution count.
 */
export class LabelPrompt extends InputPrompt {
  override get executionCount(): string | null {
    return this._label;
  }
  override set executionCount(value: string | null) {
    this._label = value;
    this.node.textContent = value?.trim() ?? '';
  }

  private _label: string | null = null;
}

/**
 * A message pair: the user's text as the cell's source, the reply as its output.
 */
export class PairCell extends CodeCell {
  constructor(options: CodeCell.IOptions) {
    super({ ...options, placeholder: true });
    this.addClass('jp-Turnbook-pair');
    this.node.dataset.turnbookPair = this.model.id;
    // Read-only is a flag of this view; it is not written to the cell's metadata.
    this.syncEditable = false;
    this._refresh();
    this.model.contentChanged.connect(this._refresh, this);
  }

  /** Emitted when the user asks for another attempt. */
  get retryRequested(): ISignal<this, void> {
    return this._retryRequested;
  }

  /** Emitted when the streaming reply grew. */
  get grown(): ISignal<this, void> {
    return this._grown;
  }

  /** The run whose reply streams into this cell. */
  get live(): LiveRun | null {
    return this._live;
  }
  set live(live: LiveRun | null) {
    if (this._live === live) {
      return;
    }
    this._live?.stateChanged.disconnect(this._refresh, this);
    this._live?.grown.disconnect(this._onFirst, this);
    this._live = live;
    live?.stateChanged.connect(this._refresh, this);
    live?.grown.connect(this._onFirst, this);
    if (this._status) {
      this._status.live = live;
    }
    this._refresh();
  }

  /** Whether the server has told which runs of this chat are open. */
  set journalRead(value: boolean) {
    if (this._journalRead !== value) {
      this._journalRead = value;
      this._refresh();
    }
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this.live = null;
    this._status = null;
    Signal.clearData(this);
    super.dispose();
  }

  protected override initializeDOM(): void {
    if (!this.placeholder) {
      return;
    }
    super.initializeDOM();
    const status = (this._status = new PairStatus({
      createStream: () => new StreamingMarkdown({ parts: this.outputArea.rendermime }),
      onGrown: () => this._grown.emit(),
      onRetry: () => this._retryRequested.emit()
    }));
    const layout = this.layout as PanelLayout;
    layout.insertWidget(layout.widgets.length - 1, status);
    status.live = this._live;
    this._refresh();
  }

  protected override onMetadataChanged(
    model: CellModel,
    args: IMapChange
  ): void {
    super.onMetadataChanged(model, args);
    if (args.key === KEYS.run) {
      this._refresh();
    }
  }

  /** With the first text, *thinking…* goes. */
  private _onFirst(live: LiveRun): void {
    live.grown.disconnect(this._onFirst, this);
    this._refresh();
  }

  private _refresh(): void {
    if (this.isDisposed) {
      return;
    }
    const info = readRunInfo(this.model.getMetadata(KEYS.run));
    const view = pairView(info, this._live, this._journalRead);
    this.node.dataset.turnbookState = view.state;
    this.toggleClass('jp-mod-live', this._live !== null);
    this.toggleClass(
      'jp-mod-spare',
      info === null &&
        this.model.sharedModel.getSource() === '' &&
        this.model.outputs.length === 0
    );
    this.readOnly = info !== null;
    this._status?.display(view);
  }

  private _grown = new Signal<this, void>(this);
  private _journalRead = false;
  private _live: LiveRun | null = null;
  private _retryRequested = new Signal<this, void>(this);
  private _status: PairStatus | null = null;
}

/**
 * A system message, sent where it stands.
 */
export class SystemCell extends RawCell {
  constructor(options: RawCell.IOptions) {
    super({ ...options, placeholder: true });
    this.addClass('jp-Turnbook-system');
  }

  protected override initializeDOM(): void {
    super.initializeDOM();
    this.setPrompt('system');
  }
}

/**
 * A note, never sent.
 */
export class NoteCell extends MarkdownCell {
  constructor(options: MarkdownCell.IOptions) {
    super({ ...options, placeholder: true });
    this.addClass('jp-Turnbook-note');
  }

  protected override initializeDOM(): void {
    super.initializeDOM();
    this.setPrompt('note');
  }
}

/** Whether a cell model is a pair's. */
export function isPairModel(model: { type: string }): model is ICodeCellModel {
  return model.type === 'code';
}
