/**
 * The turns of an open chat as sources of replays.
 */
import { Signal } from '@lumino/signaling';

import type { ChatPanel } from '../chat/panel';
import { findPair, KEYS, readRunInfo, type IRunInfo } from '../document';
import type { RequestDraft } from '../request/draft';
import { chatName, turnOf } from '../request/name';
import type { IReplayOrigin, IReplaySource } from './source';

/**
 * The request of a turn of an open chat.
 *
 * @param target - A pair, or `live` for the message being written; without it, what the Request
 * panel shows, which may be a message that waits to be sent again.
 */
export async function chatSource(
  chat: ChatPanel,
  target?: string
): Promise<ChatSource> {
  const { requests, reviewed } = chat.session;
  const draft =
    (target === undefined ? reviewed : null) ??
    (await requests.draftOf(target ?? requests.target));
  return new ChatSource(chat, draft);
}

/** The request of a turn that a chat has open. */
export class ChatSource implements IReplaySource {
  constructor(
    private _chat: ChatPanel,
    readonly draft: RequestDraft
  ) {
    const { chatId, pair } = draft.base;
    this._pair = pair;
    const { path } = _chat.context;
    this.origin = {
      chatId: chatId || path,
      pair,
      name: chatName(path),
      path,
      turn: turnOf(_chat.session.context.records, pair)
    };
    draft.changed.connect(() => {
      // The draft of the message being written goes on to the next message.
      if (draft.base.pair === pair && !draft.isDisposed) {
        this.changed.emit();
      }
    });
  }

  readonly changed = new Signal<this, void>(this);
  readonly origin: IReplayOrigin;

  watch() {
    return this._chat.session.requests.watch();
  }

  request() {
    return this.draft.request;
  }

  version() {
    const info = this._info;
    return {
      version: this.draft.takeVersion('replay').n,
      requestId: info?.runId || this._pair,
      loggedHash: info?.requestHash || null
    };
  }

  private get _info(): IRunInfo | null {
    const cell = findPair(this._chat.model!.sharedModel, this._pair);
    return cell && readRunInfo(cell.getMetadata(KEYS.run));
  }

  private _pair: string;
}
