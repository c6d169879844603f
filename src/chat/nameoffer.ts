import type { TranslationBundle } from '@jupyterlab/translation';
import { Signal, type ISignal } from '@lumino/signaling';

import { errorMessage } from '../base/errors';
import { button, element } from '../ui/dom';
import { nameChat, renameChat, suggestedName } from './namechat';
import type { ChatPanel } from './panel';

const PREFIX = 'turnbook:name-offer:';

/** The chats whose user has answered the offer, in any tab of this browser. */
export class NameAnswers {
  constructor(private _storage: Pick<Storage, 'getItem' | 'setItem'>) {
    window.addEventListener('storage', ({ key }) => {
      if (key === null || key.startsWith(PREFIX)) {
        this._changed.emit();
      }
    });
  }

  /** Emitted when a chat was answered for. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  has(chatId: string): boolean {
    return (
      this._here.has(chatId) || this._storage.getItem(PREFIX + chatId) !== null
    );
  }

  add(chatId: string): void {
    this._here.add(chatId);
    try {
      this._storage.setItem(PREFIX + chatId, '1');
    } catch (error) {
      // Until the page is reloaded, the chat is not offered a name again.
      console.warn('Turnbook: an answer could not be stored', error);
    }
    this._changed.emit();
  }

  private _changed = new Signal<this, void>(this);
  /** The storage may be full. */
  private readonly _here = new Set<string>();
}

/**
 * A line below the first reply of a chat whose file has no name of its own, which offers the first
 * message as its name.
 *
 * It is after the last cell, where it moves nothing that is being read, and is gone when it was
 * answered or when the second reply has come.
 */
export class NameOffer {
  constructor(private _options: NameOffer.IOptions) {
    const { panel, answers, trans } = _options;
    const { context, content, session } = panel;
    this._node = element('div', 'jp-Turnbook-nameOffer');
    this._node.setAttribute('role', 'group');
    this._node.setAttribute('aria-label', trans.__('Name of this chat'));
    this._problem.setAttribute('role', 'alert');
    this._node.append(
      this._text,
      button(
        trans.__('Rename'),
        'jp-Turnbook-link',
        () => void this._rename(),
        trans.__('Rename the file; the chat stays the same')
      ),
      button(
        trans.__('Other name…'),
        'jp-Turnbook-link',
        () => void this._ask()
      ),
      button(
        trans.__('Not now'),
        'jp-Turnbook-link',
        () => this._end(),
        trans.__('Keep the file’s name. Name This Chat… changes it later.')
      ),
      this._problem
    );
    // A click leaves the focus where it is.
    this._node.addEventListener('mousedown', event => event.preventDefault());
    // The notebook would pass the focus on to its active cell.
    for (const type of ['focusin', 'keydown']) {
      this._node.addEventListener(type, event => event.stopPropagation());
    }
    content.belowNode.append(this._node);
    context.pathChanged.connect(this._show, this);
    session.context.changed.connect(this._show, this);
    session.changed.connect(this._show, this);
    answers.changed.connect(this._show, this);
    panel.disposed.connect(() => Signal.clearData(this));
    this._show();
  }

  private _show(): void {
    const { panel, trans } = this._options;
    const name = this._isOffered() ? suggestedName(panel) : '';
    if (name !== this._name) {
      this._name = name;
      this._text.textContent = trans.__('Name this chat “%1”?', name);
      this._problem.textContent = '';
    }
    const hadFocus = this._node.contains(document.activeElement);
    this._node.hidden = name === '';
    if (this._node.hidden && hadFocus) {
      panel.enterInput();
    }
  }

  private _isOffered(): boolean {
    const { panel, answers } = this._options;
    const { session, model } = panel;
    const chatId = session.info?.chatId;
    if (!chatId || answers.has(chatId) || model?.readOnly) {
      return false;
    }
    let replies = 0;
    for (const { kind, reply } of session.context.records) {
      if (kind === 'pair' && reply.trim() && ++replies > 1) {
        return false;
      }
    }
    return replies === 1;
  }

  private async _rename(): Promise<void> {
    const { panel, trans } = this._options;
    if (this._isBusy) {
      return;
    }
    this._isBusy = true;
    this._problem.textContent = '';
    try {
      await renameChat(panel, this._name);
      this._end();
    } catch (error) {
      this._problem.textContent = trans.__(
        'The file could not be renamed: %1',
        errorMessage(error)
      );
    } finally {
      this._isBusy = false;
    }
  }

  private async _ask(): Promise<void> {
    const { panel, trans } = this._options;
    if (await nameChat(panel, trans)) {
      this._end();
    }
  }

  private _end(): void {
    const { panel, answers } = this._options;
    const chatId = panel.session.info?.chatId;
    if (chatId) {
      answers.add(chatId);
    }
  }

  private _isBusy = false;
  private _name = '';
  private _node: HTMLElement;
  private _problem = element('span', 'jp-Turnbook-nameOffer-problem');
  private _text = element('span', '');
}

/**
 * The namespace for `NameOffer` statics.
 */
export namespace NameOffer {
  export interface IOptions {
    panel: ChatPanel;
    answers: NameAnswers;
    trans: TranslationBundle;
  }
}
