import type { Message } from '@lumino/messaging';
import { Signal, type ISignal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { trans } from '../../base/words';
import { button, element, growText } from '../../ui/dom';

/**
 * An editor in place of a cell's text, for sending a message again.
 *
 * The document changes only when it is sent.
 */
export class PairEditor extends Widget {
  constructor(options: PairEditor.IOptions) {
    super();
    this.addClass('jp-Turnbook-pairEditor');
    this._options = options;
    this._text = element('textarea', 'jp-Turnbook-composer-text');
    this._text.dir = 'auto';
    this._text.setAttribute('aria-label', trans.__('Edited text'));
    this._text.value = options.text;
    this._text.addEventListener('input', () => {
      growText(this._text);
      options.onInput?.(this._text.value);
    });
    this._text.addEventListener('keydown', event => this._onKey(event));
    const bar = element('div', 'jp-Turnbook-pairEditor-bar');
    this._hint = element(
      'span',
      'jp-Turnbook-pairEditor-hint',
      trans.__(
        'Sends the cells above it and this text. Enter sends, Esc cancels.'
      )
    );
    this._hint.setAttribute('role', 'status');
    bar.append(
      this._hint,
      button(trans.__('Cancel'), 'jp-Turnbook-button', () =>
        this._closed.emit(null)
      ),
      button(trans.__('Resend'), 'jp-Turnbook-button jp-mod-primary', () =>
        this._submit()
      )
    );
    this.node.append(this._text, bar);
  }

  /** The current text. */
  get text(): string {
    return this._text.value;
  }

  /** Emitted with the new text, or null if the user canceled. */
  get closed(): ISignal<this, string | null> {
    return this._closed;
  }

  protected override onAfterAttach(msg: Message): void {
    growText(this._text);
    this._text.focus();
    this._text.setSelectionRange(
      this._text.value.length,
      this._text.value.length
    );
  }

  private _onKey(event: KeyboardEvent): void {
    // The notebook around it must not handle these keys.
    event.stopPropagation();
    if (event.isComposing) {
      return;
    }
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      this._submit();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      this._closed.emit(null);
    }
  }

  private _submit(): void {
    if (!this._text.value.trim()) {
      return;
    }
    const obstacle = this._options.obstacle?.() ?? null;
    if (obstacle !== null) {
      this._hint.textContent = obstacle;
      return;
    }
    this._closed.emit(this._text.value);
  }

  private _closed = new Signal<this, string | null>(this);
  private _hint: HTMLElement;
  private _options: PairEditor.IOptions;
  private _text: HTMLTextAreaElement;
}

/**
 * The namespace for `PairEditor` statics.
 */
export namespace PairEditor {
  export interface IOptions {
    text: string;
    /** Why nothing can be sent now, as a text for the user; null if it can. */
    obstacle?: () => string | null;
    /** Called with the text whenever it changes. */
    onInput?: (text: string) => void;
    /** Called with the text if the editor is closed without a decision. */
    onLost?: (text: string) => void;
  }
}
