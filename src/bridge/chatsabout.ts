import type { IDocumentManager } from '@jupyterlab/docmanager';
import { PathExt } from '@jupyterlab/coreutils';
import { ServerConnection, type Contents } from '@jupyterlab/services';
import { Signal, type ISignal } from '@lumino/signaling';

import { serverFileKind } from '../chat/composer/files/serverfile';
import { FACTORY, type IOpenChats } from '../chat/openchats';
import type { ChatPanel } from '../chat/panel';
import { aboutOf, chatBeside, isChatOf, renamedPath } from '../document/about';
import { changeChatEntry, chatEntry, fileEntry } from '../document/chatentry';
import { CHAT_EXTENSION, emptyChat } from '../document/chatfile';
import type { TurnbookAPI } from '../runs/api';
import { KnownFiles } from '../session/knownfiles';
import { viewOf } from '../ui/door';
import { openHere } from '../replay/view/openhere';
import { createChatOf } from '../session/newchat';
import type { Pairings } from './pairings';

/** Finds, makes and opens the chats about notebooks. */
export class ChatsAbout {
  constructor(private _options: ChatsAbout.IOptions) {
    const { documents, tracker } = _options;
    documents.services.contents.fileChanged.connect(this._onFile, this);
    tracker.widgetAdded.connect((_, panel) => this._onChat(panel));
    tracker.forEach(panel => this._onChat(panel));
  }

  /** Emitted when it may be another whether a notebook has a chat. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Whether a notebook has a chat; false until that is known. */
  has(notebook: string): boolean {
    if (this._opened(notebook)) {
      return true;
    }
    const known = this._known.get(notebook);
    if (known === undefined) {
      this._known.set(notebook, false);
      this._look(notebook).catch(error => {
        // The button then offers to start one; opening it looks again.
        console.warn('Turnbook: the chat of a notebook was not found', error);
      });
    }
    return known ?? false;
  }

  /**
   * Open a chat about a notebook.
   *
   * @param path - The path of the chat, from `pathOf`.
   * @param ref - The id of the widget to whose right a new tab is opened.
   * @returns The chat once it can be used; null if it is in another page, as in Jupyter Notebook.
   */
  async open(
    notebook: string,
    path: string,
    ref: string
  ): Promise<ChatPanel | null> {
    const { documents, pairings } = this._options;
    pairings.set(notebook, path);
    this._known.delete(notebook);
    this._changed.emit();
    const opened = openHere(documents, path, FACTORY, {
      mode: 'split-right',
      ref
    }) as ChatPanel | null;
    const panel = await viewOf(opened);
    await panel?.session.ready;
    if (!panel || panel.isDisposed) {
      return null;
    }
    // The notebook may have been renamed while its chat was read.
    const now = pairings.notebookOf(panel.context.path) ?? notebook;
    this._setAbout(panel, () => now);
    return panel;
  }

  /** The path of the chat about a notebook, which is made if there is none: once, however often it is asked for. */
  pathOf(notebook: string): Promise<string> {
    const path =
      this._paths.get(notebook) ??
      this._findOrMake(notebook).finally(() => this._paths.delete(notebook));
    this._paths.set(notebook, path);
    return path;
  }

  private async _findOrMake(notebook: string): Promise<string> {
    return (await this._find(notebook)) ?? (await this._make(notebook));
  }

  private async _make(notebook: string): Promise<string> {
    const { contents } = this._options.documents.services;
    const content = emptyChat(undefined, { about: notebook });
    const name = PathExt.basename(chatBeside(notebook), CHAT_EXTENSION);
    const path = await createChatOf(
      contents,
      new KnownFiles(this._options.storage),
      PathExt.dirname(notebook),
      content,
      name
    );
    // Whoever asks before it is open finds it, whatever its name.
    this._options.pairings.set(notebook, path);
    return path;
  }

  /** The path of the chat about a notebook; null if there is none. */
  private async _find(notebook: string): Promise<string | null> {
    const { pairings } = this._options;
    const paired = pairings.chatOf(notebook);
    if (paired !== null) {
      if (await this._exists(paired)) {
        return paired;
      }
      pairings.forget(notebook);
    }
    const opened = this._opened(notebook);
    if (opened) {
      return opened.context.path;
    }
    const beside = chatBeside(notebook);
    if (!(await this._exists(beside))) {
      return null;
    }
    const { content } = await this._contents.get(beside, { content: true });
    return isChatOf(fileEntry(content), notebook) ? beside : null;
  }

  /** An open chat that says it is about a notebook. */
  private _opened(notebook: string): ChatPanel | undefined {
    return this._options.tracker.find(
      ({ context }) =>
        context.isReady &&
        aboutOf(chatEntry(context.model.sharedModel)) === notebook
    );
  }

  /** Look for the file of the chat about a notebook. */
  private async _look(notebook: string): Promise<void> {
    const isThere = (await this._find(notebook)) !== null;
    if (this._known.has(notebook)) {
      this._known.set(notebook, isThere);
      this._changed.emit();
    }
  }

  private async _exists(path: string): Promise<boolean> {
    const { api } = this._options;
    const contents = this._contents;
    // Most notebooks have no chat, and asking for a file that is not there is logged as an error.
    if ((await serverFileKind(path, { api, contents })) === 'missing') {
      return false;
    }
    try {
      await contents.get(path, { content: false });
      return true;
    } catch (error) {
      if (
        error instanceof ServerConnection.ResponseError &&
        error.response.status === 404
      ) {
        return false;
      }
      throw error;
    }
  }

  private _onChat(panel: ChatPanel): void {
    const show = () => this._changed.emit();
    void panel.context.ready.then(show);
    panel.disposed.connect(show);
  }

  private _onFile(_: unknown, change: Contents.IChangedArgs): void {
    const from = change.oldValue?.path;
    const to = change.newValue?.path;
    if (change.type === 'save') {
      return;
    }
    if (change.type === 'rename' && from && to) {
      this._options.pairings.rename(from, to);
      this._options.tracker.forEach(panel =>
        this._setAbout(panel, about => about && renamedPath(about, from, to))
      );
    }
    // Whatever came, went or has another name may be a chat.
    this._known.clear();
    this._changed.emit();
  }

  /** Change which notebook a chat is about. */
  private _setAbout(
    { context }: ChatPanel,
    change: (about: string | null) => string | null
  ): void {
    const { sharedModel } = context.model;
    let isChanged = false;
    changeChatEntry(sharedModel, entry => {
      const about = change(aboutOf(entry));
      isChanged = about !== null && about !== aboutOf(entry);
      return isChanged ? { ...entry, about } : entry;
    });
    // Files come and go all the time, and a chat that has nothing to do with them is not written.
    if (!isChanged || !this._options.documents.autosave) {
      return;
    }
    // The chat itself may have been renamed too, which it learns after this.
    void Promise.resolve()
      .then(() => context.save())
      .catch(error => {
        console.warn('Turnbook: the chat was not saved', error);
      });
  }

  private get _contents(): Contents.IManager {
    return this._options.documents.services.contents;
  }

  private _changed = new Signal<this, void>(this);
  /** Which notebooks have a chat, as far as that was looked for. */
  private _known = new Map<string, boolean>();
  /** The chats that are being found or made, by notebook. */
  private _paths = new Map<string, Promise<string>>();
}

/**
 * The namespace for `ChatsAbout` statics.
 */
export namespace ChatsAbout {
  export interface IOptions {
    documents: Pick<IDocumentManager, 'autosave' | 'openOrReveal' | 'services'>;
    tracker: IOpenChats;
    pairings: Pairings;
    api: Pick<TurnbookAPI, 'checkFile'>;
    storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  }
}
