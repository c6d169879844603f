import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';

import { CommandIDs, type CommandID } from '../../ui/commandids';
import { button, element } from '../../ui/dom';
import type { ChatPanel } from '../panel';

/** The embedded model, unless the configuration names another file. */
const EMBEDDED = 'local/SmolLM2-135M-Instruct';

/** What an empty chat offers: three things to click, help, and what the embedded model is for. */
export class EmptyChat {
  constructor(options: EmptyChat.IOptions) {
    this._options = options;
    const { panel, commands, trans } = options;
    panel.content.emptyNode.append(
      element('h2', '', trans.__('A chat that is a notebook')),
      element(
        'p',
        '',
        trans.__(
          'Write a message below and press Enter. Each message and its reply become a cell, and the cells you see are what the model gets.'
        )
      ),
      this._actions,
      this._links,
      this._model
    );
    this._fill();
    const update = () => this._update();
    panel.session.changed.connect(update);
    commands.commandChanged.connect(update);
    panel.disposed.connect(() => {
      commands.commandChanged.disconnect(update);
    });
    update();
  }

  private _fill(): void {
    const { trans } = this._options;
    this._actions.append(
      this._action(
        trans.__('Ask something'),
        trans.__('A first question for the composer; you send it.'),
        () => this._options.panel.enterInput()
      ),
      this._action(
        trans.__('See the request'),
        trans.__('What would be sent, to read and to edit.'),
        () => this._run(CommandIDs.openRequest, { pair: 'live' })
      ),
      this._action(
        trans.__('Replay it'),
        trans.__('The request as a notebook; no model is called.'),
        () => this._run(CommandIDs.replay, { pair: 'live' })
      )
    );
    this._links.append(
      this._link(trans.__('Open the example chat'), CommandIDs.exampleChat),
      this._link(trans.__('Take the tour'), CommandIDs.tour),
      this._link(trans.__('Keys and filters (?)'), CommandIDs.keysAndFilters)
    );
  }

  /** A button that puts a question into the composer, if nothing is there, and then acts. */
  private _action(
    label: string,
    hint: string,
    act: () => void
  ): HTMLButtonElement {
    const { panel, trans } = this._options;
    const node = button('', 'jp-Turnbook-empty-action', () => {
      const { draft } = panel.session;
      if (!draft.text.trim()) {
        draft.text = trans.__(
          'What is the difference between a list and a tuple?'
        );
      }
      act();
    });
    node.removeAttribute('title');
    node.append(element('strong', '', label), element('span', '', hint));
    return node;
  }

  private _link(label: string, command: CommandID): HTMLButtonElement {
    return button(label, 'jp-Turnbook-link', () => this._run(command));
  }

  private _run(command: CommandID, args = {}): void {
    void this._options.commands.execute(command, args);
  }

  private _update(): void {
    const { commands, panel, trans } = this._options;
    const [, request, replay] = this._actions.children;
    (request as HTMLElement).hidden = !commands.isVisible(
      CommandIDs.openRequest
    );
    (replay as HTMLElement).hidden = !commands.isVisible(CommandIDs.replay);
    const isEmbedded = panel.session.model === EMBEDDED;
    if (isEmbedded === this._model.hasChildNodes()) {
      return;
    }
    this._model.replaceChildren();
    if (isEmbedded) {
      this._model.append(
        trans.__(
          'The model of this chat is very small: it is there to try Turnbook, and is often wrong.'
        ),
        ' ',
        this._link(trans.__('Use a better model…'), CommandIDs.localModels)
      );
    }
  }

  private _actions = element('div', 'jp-Turnbook-empty-actions');
  private _links = element('div', 'jp-Turnbook-empty-links');
  private _model = element('p', 'jp-Turnbook-empty-model');
  private _options: EmptyChat.IOptions;
}

/**
 * The namespace for `EmptyChat` statics.
 */
export namespace EmptyChat {
  export interface IOptions {
    panel: ChatPanel;
    commands: CommandRegistry;
    trans: TranslationBundle;
  }
}
