import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import type { TranslationBundle } from '@jupyterlab/translation';

import { FACTORY, type IOpenChats } from '../../chat/openchats';
import type { ChatPanel } from '../../chat/panel';
import { findChat } from '../model/parent';
import { openHere } from './openhere';

/** How long a notification stays. */
const SAID_MS = 5000;

/** Shows the chats that replays and forks come from, or says that they are gone. */
export class SourceChats {
  constructor(private _options: SourceChats.IOptions) {}

  /**
   * Show the chat that a replay comes from; null if it is shown by another page, or, with a message,
   * if it cannot be found.
   */
  async ofReplay(replay: SourceChats.IReplayPlace): Promise<ChatPanel | null> {
    const { tracker, trans, app } = this._options;
    const { contents } = app.serviceManager;
    const { chatId, path: known } = replay;
    if (chatId === undefined) {
      // The replay is no longer known: the last used chat is the best guess.
      const last = tracker.currentWidget;
      if (last) {
        app.shell.activateById(last.id);
      }
      return last;
    }
    const folder = PathExt.dirname(known ?? replay.beside);
    const path = (await this._find(chatId, folder)) ?? known ?? null;
    const exists =
      path !== null &&
      (await contents.get(path, { content: false }).then(
        () => true,
        () => false
      ));
    if (!exists) {
      Notification.warning(
        trans.__('The chat that this replay comes from no longer exists.'),
        { autoClose: SAID_MS }
      );
      return null;
    }
    return this._show(path);
  }

  /** The same for a fork. */
  async ofFork(
    fork: Pick<ChatPanel, 'context'>,
    chatId: string
  ): Promise<ChatPanel | null> {
    const folder = PathExt.dirname(fork.context.path);
    const path = await this._find(chatId, folder);
    if (path === null) {
      const { trans } = this._options;
      Notification.warning(
        trans.__(
          'The chat that this one comes from is neither open nor in this folder.'
        ),
        { autoClose: SAID_MS }
      );
      return null;
    }
    return this._show(path);
  }

  private _find(chatId: string, folder: string): Promise<string | null> {
    const { tracker, app } = this._options;
    return findChat(chatId, tracker, app.serviceManager.contents, folder);
  }

  private async _show(path: string): Promise<ChatPanel | null> {
    const { app, documents } = this._options;
    const chat = openHere(
      documents,
      path,
      FACTORY
    ) as unknown as ChatPanel | null;
    if (!chat) {
      return null;
    }
    app.shell.activateById(chat.id);
    await chat.revealed;
    return chat;
  }
}

/**
 * The namespace for `SourceChats` statics.
 */
export namespace SourceChats {
  export interface IOptions {
    app: Pick<JupyterFrontEnd, 'serviceManager' | 'shell'>;
    tracker: IOpenChats;
    documents: Pick<IDocumentManager, 'openOrReveal'>;
    trans: TranslationBundle;
  }

  /** What a replay knows about its chat. */
  export interface IReplayPlace {
    chatId?: string;
    /** The path of the chat. */
    path?: string;
    /** The path of the replay. */
    beside: string;
  }
}
