import { ServerConnection } from '@jupyterlab/services';

import type { IChatInfo } from '../document/metadata';
import type { IOpening } from '../base/run';
import { ApiError, type TurnbookAPI } from '../runs/api';
import { reconnectDelay, type ITimes } from '../runs/times';

/** A registration of the file. */
interface IAsked {
  info: IChatInfo;
  more: IOpening;
}

/**
 * Which chat a file is. The file says so and the server confirms it: a copy is another chat, and a
 * file that appears where another is gone gets that one's replies only if the user says so.
 */
export class ChatEntry {
  constructor(private _options: ChatEntry.IOptions) {}

  /** The chat of this file; null until the server has confirmed it. */
  get chatId(): string | null {
    return this._chatId;
  }

  /** How many replies of a missing file this one would get; 0 if there is nothing to ask. */
  get unclaimed(): number {
    return this._unclaimed;
  }

  /**
   * Register the chat's path with the server.
   *
   * Resolves with the file's metadata from now on, or with null if it is not known to be this chat.
   * Rejects if the server could not be reached; this is repeated, unless that would not help. Of
   * several calls at a time the last counts, and the others end like it.
   */
  open(info: IChatInfo, more: IOpening = {}): Promise<IChatInfo | null> {
    const last = { info, more };
    this._last = last;
    this._chatId = null;
    clearTimeout(this._timer);
    this._opening = this._open(last);
    return this._opening;
  }

  private async _open(last: IAsked): Promise<IChatInfo | null> {
    const { api, path, write } = this._options;
    const { more } = last;
    let { info } = last;
    let chat;
    try {
      chat = await api.openChat(info.chatId, path(), more);
    } catch (error) {
      if (this._last !== last) {
        return this._opening;
      }
      this._later(error);
      throw error;
    }
    if (this._last !== last) {
      return this._opening;
    }
    this._failures = 0;
    this._unclaimed = chat.status === 'unclaimed' ? chat.unlanded : 0;
    if (chat.status === 'unclaimed') {
      return null;
    }
    if (chat.status === 'copy') {
      const from = chat.copiedFrom ? { copiedFrom: chat.copiedFrom } : {};
      info = {
        ...info,
        chatId: chat.chatId,
        lineage: { ...info.lineage, ...from }
      };
      write(info);
    }
    this._chatId = info.chatId;
    return info;
  }

  /** Record the user's answer whether this file is the chat whose replies wait, or a copy of it. */
  claim(claim: 'take' | 'copy'): void {
    if (this._last && this._unclaimed) {
      const { info, more } = this._last;
      this._options.reopen(info, { ...more, claim });
    }
  }

  dispose(): void {
    this._isDisposed = true;
    clearTimeout(this._timer);
  }

  private _later(error: unknown): void {
    const mayPass =
      error instanceof ServerConnection.NetworkError ||
      (error instanceof ApiError && error.status >= 500);
    if (mayPass && !this._isDisposed && this._last) {
      const { info, more } = this._last;
      this._timer = setTimeout(
        () => this._options.reopen(info, more),
        reconnectDelay(this._failures++, Math.random(), this._options.times)
      );
    }
  }

  private _chatId: string | null = null;
  private _failures = 0;
  private _isDisposed = false;
  private _last: IAsked | null = null;
  private _opening: Promise<IChatInfo | null> = Promise.resolve(null);
  private _timer: ReturnType<typeof setTimeout> | undefined;
  private _unclaimed = 0;
}

/**
 * The namespace for `ChatEntry` statics.
 */
export namespace ChatEntry {
  export interface IOptions {
    api: Pick<TurnbookAPI, 'openChat'>;
    /** The file's path below the server's root. */
    path: () => string;
    /** Write the file's metadata. */
    write: (info: IChatInfo) => void;
    /** Register it again with these. */
    reopen: (info: IChatInfo, more: IOpening) => void;
    times?: ITimes;
  }
}
