import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import { Signal, type ISignal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { wordsIn } from '../../ui/translation';
import { beginning } from '../../request/inspect';
import { button, element } from '../../ui/dom';
import type {
  IPrelude,
  IPreludeChat,
  IPreludeMessage,
  IPreludeProblem
} from './prelude';

/** Texts with at least this many characters or lines are folded. */
const LONG = 600;
const LINES = 8;

/**
 * What plugins add to a chat, shown as blocks that look like its system cells.
 *
 * A request takes `messages` from here, not from the prelude, so that what is sent is what is
 * shown, even if a plugin would return something else a moment later.
 */
export class PreludeBlock extends Widget {
  constructor(options: PreludeBlock.IOptions) {
    super();
    this.addClass('jp-Turnbook-prelude');
    this._options = options;
    this._trans = wordsIn(options);
    this.node.setAttribute('role', 'group');
    this.node.setAttribute('aria-label', this._trans.__('Added by extensions'));
    options.prelude.changed.connect(this.refresh, this);
    this.refresh();
  }

  /** The messages that are shown, and therefore sent, in order. */
  get messages(): readonly IPreludeMessage[] {
    return this._messages;
  }

  /** Emitted when the messages change. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Read the contributions again, for example after the chat's path or id changed. */
  refresh(): void {
    const { prelude, chat } = this._options;
    const { messages, problems } = prelude.read(chat());
    const shown = JSON.stringify([messages, problems]);
    if (shown === this._shown) {
      return;
    }
    this._shown = shown;
    this._messages = messages;
    this.node.replaceChildren(
      ...problems.map(problem => this._problem(problem)),
      ...messages.map(message => this._block(message))
    );
    this.setHidden(messages.length + problems.length === 0);
    this._changed.emit();
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._options.prelude.changed.disconnect(this.refresh, this);
    Signal.clearData(this);
    super.dispose();
  }

  private _block({ id, title, text }: IPreludeMessage): HTMLElement {
    const trans = this._trans;
    const block = element('section', 'jp-Turnbook-prelude-block');
    block.dataset.turnbookPrelude = id;
    block.setAttribute('aria-label', title);
    const body = element('div', 'jp-Turnbook-prelude-body');
    body.append(
      element('div', 'jp-Turnbook-prelude-title', title),
      ...this._text(text),
      element(
        'div',
        'jp-Turnbook-prelude-note',
        trans.__('added by %1, sent first', title)
      )
    );
    block.append(
      element('div', 'jp-Turnbook-prelude-label', trans.__('system')),
      body
    );
    return block;
  }

  private _text(text: string): HTMLElement[] {
    const trans = this._trans;
    const node = element('div', 'jp-Turnbook-prelude-text', text);
    const short = folded(text);
    if (short === text) {
      return [node];
    }
    const label = trans.__(
      'Show the whole text (%1 characters)',
      text.length.toLocaleString()
    );
    node.textContent = `${short}…`;
    const toggle = button(label, 'jp-Turnbook-button', () => {
      const open = toggle.getAttribute('aria-expanded') !== 'true';
      toggle.setAttribute('aria-expanded', String(open));
      node.textContent = open ? text : `${short}…`;
      toggle.textContent = open ? trans.__('Show less') : label;
      toggle.title = toggle.textContent;
    });
    toggle.setAttribute('aria-expanded', 'false');
    return [node, toggle];
  }

  private _problem({ id, message }: IPreludeProblem): HTMLElement {
    const node = element('div', 'jp-Turnbook-prelude-problem', message);
    node.dataset.turnbookPrelude = id;
    node.setAttribute('role', 'alert');
    return node;
  }

  private _changed = new Signal<this, void>(this);
  private _messages: readonly IPreludeMessage[] = [];
  private _options: PreludeBlock.IOptions;
  private _shown = '';
  private _trans: TranslationBundle;
}

/**
 * The namespace for `PreludeBlock` statics.
 */
export namespace PreludeBlock {
  export interface IOptions {
    prelude: IPrelude;
    /** The current chat. */
    chat(): IPreludeChat;
    translator?: ITranslator;
  }
}

/** What is shown of a text before it is unfolded; a short text itself. */
function folded(text: string): string {
  const lines = text.split('\n');
  const few = lines.length > LINES ? lines.slice(0, LINES).join('\n') : text;
  return few.length > LONG ? beginning(few, LONG) : few;
}
