import type { Message } from '@lumino/messaging';
import { Signal, type ISignal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { trans } from '../../base/words';
import { button, element, growText } from '../../ui/dom';

/** How much of the window's height the text may take, so that its buttons stay on the screen. */
const SHARE = 0.55;

/**
 * An editor in place of a reply, for its Markdown.
 *
 * The document changes only when it is saved.
 */
export class ReplyEditor extends Widget {
  constructor(options: ReplyEditor.IOptions) {
    super();
    this.addClass('jp-Turnbook-pairEditor');
    this._options = options;
    this._text = element('textarea', 'jp-Turnbook-composer-text');
    this._text.dir = 'auto';
    this._text.setAttribute('aria-label', trans.__('Edited reply'));
    this._text.value = options.text;
    // The browser has one kind of line break, so what it made of the text is what was there before.
    this._before = this._text.value;
    this._text.addEventListener('input', () => {
      this._isWarned = false;
      this._hint.textContent = helpWords();
      this._grow();
    });
    this._text.addEventListener('keydown', event => this._onKey(event));
    const bar = element('div', 'jp-Turnbook-pairEditor-bar');
    this._hint = element('span', 'jp-Turnbook-pairEditor-hint', helpWords());
    this._hint.setAttribute('role', 'status');
    bar.append(
      this._hint,
      button(trans.__('Cancel'), 'jp-Turnbook-button', () =>
        this._closed.emit(null)
      ),
      button(
        trans.__('Save'),
        'jp-Turnbook-button jp-mod-primary',
        () => this._save(),
        trans.__('Keep this text as the reply (Ctrl+Enter)')
      )
    );
    this.node.append(this._text, bar);
    if (options.draft !== undefined) {
      this._text.value = options.draft;
    }
  }

  /** The current text. */
  get text(): string {
    return this._text.value;
  }

  /** Whether the text was changed. */
  get isChanged(): boolean {
    return this._text.value !== this._before;
  }

  /** Emitted with the new text, or null if the user canceled. */
  get closed(): ISignal<this, string | null> {
    return this._closed;
  }

  handleEvent(event: Event): void {
    if (this.isChanged) {
      // The browser asks whether to leave.
      event.preventDefault();
    }
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    window.addEventListener('beforeunload', this);
    this._grow();
    this._text.focus();
    this._text.setSelectionRange(0, 0);
    this._text.scrollTop = 0;
  }

  protected override onBeforeDetach(msg: Message): void {
    window.removeEventListener('beforeunload', this);
    super.onBeforeDetach(msg);
  }

  private _onKey(event: KeyboardEvent): void {
    // The notebook around it must not handle these keys.
    event.stopPropagation();
    if (event.isComposing) {
      return;
    }
    const saves = event.ctrlKey || event.metaKey || event.shiftKey;
    if (event.key === 'Enter' && saves) {
      event.preventDefault();
      this._save();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      this._cancel();
    }
  }

  private _cancel(): void {
    if (this.isChanged && !this._isWarned) {
      this._isWarned = true;
      this._hint.textContent = trans.__(
        'Press Esc again to discard your changes, or Ctrl+Enter to save them.'
      );
      return;
    }
    this._closed.emit(null);
  }

  private _save(): void {
    const obstacle = this._text.value.trim()
      ? this._options.obstacle()
      : trans.__(
          'A reply cannot be empty. To keep it out of what is sent, cancel and choose Do not send the reply.'
        );
    if (obstacle !== null) {
      this._hint.textContent = obstacle;
      return;
    }
    this._closed.emit(this.isChanged ? this._text.value : null);
  }

  private _grow(): void {
    growText(this._text, Math.round(window.innerHeight * SHARE));
  }

  private _before: string;
  private _closed = new Signal<this, string | null>(this);
  private _hint: HTMLElement;
  private _isWarned = false;
  private _options: ReplyEditor.IOptions;
  private _text: HTMLTextAreaElement;
}

/**
 * The namespace for `ReplyEditor` statics.
 */
export namespace ReplyEditor {
  export interface IOptions {
    /** The reply as it is. */
    text: string;
    /** What the user had made of it before; absent if nothing. */
    draft?: string;
    /** Why it cannot be saved now, as a text for the user; null if it can. */
    obstacle: () => string | null;
  }
}

const helpWords = () =>
  trans.__(
    'The original stays as a version, and this text is sent from now on. Ctrl+Enter saves, Esc cancels.'
  );
