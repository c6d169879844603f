import type { TranslationBundle } from '@jupyterlab/translation';
import type { NotebookChange } from '@jupyter/ydoc';
import type { CommandRegistry } from '@lumino/commands';
import { Signal, type ISignal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { sumTotals } from '../../document/usagetotals';
import { CommandIDs } from '../../ui/commandids';
import { button } from '../../ui/dom';
import type { ChatPanel } from '../panel';
import { chatTotals } from './totals';
import { gapWords, shortTotal } from './totalwords';

/**
 * What the chat in front took, in the status bar; a click opens the totals.
 *
 * It is counted when another chat comes to the front, a reply lands, cells come or go, or prices
 * change, and never with a key press. Each cell is read once.
 */
export class UsageItem extends Widget {
  constructor(private _options: UsageItem.IOptions) {
    super();
    this.addClass('jp-Turnbook-usageStatus');
    const { changed, commands } = _options;
    this._button = button('', 'jp-Turnbook-usageStatus-button', () => {
      void commands.execute(CommandIDs.usage);
    });
    this._button.setAttribute('aria-haspopup', 'dialog');
    this.node.append(this._button);
    for (const signal of changed) {
      signal?.connect(this._onCurrent, this);
    }
  }

  /** Whether a chat is in front in which something was sent. */
  get hasTotal(): boolean {
    return this._hasTotal;
  }

  /** Emitted when `hasTotal` may have changed. */
  get hasTotalChanged(): ISignal<this, void> {
    return this._hasTotalChanged;
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._leave();
    super.dispose();
    Signal.clearData(this);
  }

  private _onCurrent(): void {
    const panel = this._options.current();
    if (panel === this._panel) {
      return;
    }
    this._leave();
    this._panel = panel;
    if (panel) {
      panel.session.landed.connect(this._count, this);
      panel.session.prices.changed.connect(this._count, this);
      panel.context.model.sharedModel.changed.connect(this._onNotebook, this);
      panel.disposed.connect(this._onCurrent, this);
      void panel.session.ready.then(() => this._count());
    }
    this._count();
  }

  private _leave(): void {
    const panel = this._panel;
    if (panel) {
      panel.session.landed.disconnect(this._count, this);
      panel.session.prices.changed.disconnect(this._count, this);
      panel.context.model?.sharedModel.changed.disconnect(
        this._onNotebook,
        this
      );
      panel.disposed.disconnect(this._onCurrent, this);
    }
    this._panel = null;
  }

  private _onNotebook(_: unknown, change: NotebookChange): void {
    if (change.cellsChange) {
      this._count();
    }
  }

  /** Count soon; several changes are counted once. */
  private _count(): void {
    if (this._timer !== undefined) {
      return;
    }
    this._timer = setTimeout(() => {
      this._timer = undefined;
      if (!this.isDisposed) {
        this._show();
      }
    });
  }

  private _show(): void {
    const { trans } = this._options;
    const panel = this._panel;
    const total =
      panel && !panel.isDisposed && !panel.session.isDisposed
        ? sumTotals(chatTotals(panel.session).values())
        : null;
    const hasTotal = total !== null && total.runs > 0;
    if (total && hasTotal) {
      this._button.textContent = trans.__('Chat: %1', shortTotal(total, trans));
      this._button.title = [
        trans.__(
          'What this chat took. Click for the totals of chats and days.'
        ),
        ...gapWords(total, trans)
      ].join('\n');
    }
    if (hasTotal !== this._hasTotal) {
      this._hasTotal = hasTotal;
      this._hasTotalChanged.emit();
    }
  }

  private _button: HTMLButtonElement;
  private _hasTotal = false;
  private _hasTotalChanged = new Signal<this, void>(this);
  private _panel: ChatPanel | null = null;
  private _timer: ReturnType<typeof setTimeout> | undefined;
}

/** The namespace for `UsageItem` statics. */
export namespace UsageItem {
  export interface IOptions {
    commands: CommandRegistry;
    /** The chat in front; null if something else is. */
    current: () => ChatPanel | null;
    /** Emitted when another widget may be in front. */
    changed: readonly (ISignal<unknown, unknown> | undefined)[];
    trans: TranslationBundle;
  }
}
