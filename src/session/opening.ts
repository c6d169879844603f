import type { DocumentRegistry } from '@jupyterlab/docregistry';
import { PromiseDelegate } from '@lumino/coreutils';
import { Signal, type ISignal } from '@lumino/signaling';

import { trans } from '../base/words';
import { errorMessage } from '../base/errors';
import type { IOpening } from '../base/run';
import type { IChatInfo } from '../document/metadata';
import type { ChatRequests } from '../request/requests';
import type { ChatAbout } from './about';
import type { Draft } from './draft';
import type { ChatEntry } from './entry';
import type { RunFollower } from './follower';
import type { LostMessages } from './lostmessages';
import type { SendModes } from './modes';
import type { NewReplies } from './newreplies';
import type { Notice } from './notice';
import type { Outbox } from './outbox';
import type { Review } from './review';

const untold = () => trans.__('This chat could not be reported to the server');

/** Opens a chat: asks the server which chat it is, and loads what this browser stored for it. */
export class Opening {
  constructor(private _options: Opening.IOptions) {}

  /** Emitted when something of the chat was loaded. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Resolves with this file's chat once it is known; null if the file is not a chat. */
  async chat(): Promise<string | null> {
    await this._opened;
    return this._options.entry.chatId;
  }

  /** To be called when the document has been read. */
  async open(): Promise<void> {
    if (this._isDisposed) {
      return;
    }
    const { about, modes } = this._options;
    about.opened();
    modes.update();
    const { info } = about;
    await (info ? this.register(info) : this._openByPath());
    this._changed.emit();
  }

  /** Register this chat's path with the server, and follow its runs. */
  register(info: IChatInfo, more: IOpening = {}): Promise<void> {
    this._opened = this._register(info, more);
    return this._opened;
  }

  dispose(): void {
    this._isDisposed = true;
    Signal.clearData(this);
  }

  private async _register(info: IChatInfo, more: IOpening): Promise<void> {
    const { about, draft, entry, news, notice, outbox, runs } = this._options;
    const known = new PromiseDelegate<void>();
    runs.watch(info.chatId, known.promise);
    let opened: IChatInfo | null = null;
    try {
      opened = await entry.open(info, more);
      if (notice.text?.startsWith(untold())) {
        notice.text = null;
      }
    } catch (error) {
      notice.text = `${untold()}: ${errorMessage(error)}`;
    }
    if (this._isDisposed) {
      return;
    }
    if (!opened) {
      // While it is unknown which chat this is, nothing of that chat is loaded.
      await this._openByPath();
      this._changed.emit();
      return;
    }
    const { chatId } = opened;
    about.renamed(info.chatId, chatId);
    if (chatId !== info.chatId) {
      runs.watch(chatId, known.promise);
    }
    draft.open(chatId);
    news.open(chatId);
    outbox.open(chatId);
    known.resolve();
    await this._openRequests(chatId);
    this._changed.emit();
  }

  /** Store drafts and edits under the file's path; no chat id looks like a path. */
  private async _openByPath(): Promise<void> {
    const { context, draft, lost, outbox } = this._options;
    const name = `path:${context.path}`;
    draft.open(name);
    outbox.open(name);
    void lost.check();
    await this._openRequests(name);
  }

  private async _openRequests(name: string): Promise<void> {
    const { modes, notice, requests, review } = this._options;
    try {
      await modes.open(name);
      await review.open(name);
      await requests.open(name);
    } catch (error) {
      notice.text = trans.__(
        'Edits of the request would not survive a reload: %1',
        errorMessage(error)
      );
    }
  }

  private _changed = new Signal<this, void>(this);
  private _isDisposed = false;
  private _opened: Promise<void> = Promise.resolve();
}

/**
 * The namespace for `Opening` statics.
 */
export namespace Opening {
  export interface IOptions {
    about: Pick<ChatAbout, 'info' | 'opened' | 'renamed'>;
    context: Pick<DocumentRegistry.Context, 'path'>;
    draft: Draft;
    entry: ChatEntry;
    lost: LostMessages;
    modes: SendModes;
    news: NewReplies;
    notice: Notice;
    outbox: Outbox;
    requests: ChatRequests;
    review: Review;
    runs: RunFollower;
  }
}
