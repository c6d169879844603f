/** The turns of open chats as sources of replays. */
import { Signal } from '@lumino/signaling';

import { chatTitle } from '../../chat/chattitle';
import type { ChatPanel } from '../../chat/panel';
import { readAttachments, type IAttachment } from '../../document/attachments';
import type { IRunInfo } from '../../document/metadata';
import { Pair } from '../../document/pair';
import type { RequestDraft } from '../../request/draft';
import { turnOf } from '../../request/name';
import { LIVE } from '../../request/requests';
import type { IOpenChats } from '../../chat/openchats';
import type { ISentFacts } from './record';
import type { IReplayOrigin, IReplaySource, ITurns } from './source';

/**
 * The request of a turn of an open chat.
 *
 * @param target - A pair, or `live` for the message being written; by default what the Request
 * panel shows, which may be a message that waits to be sent again.
 */
export async function chatSource(
  chat: ChatPanel,
  target?: string
): Promise<ChatSource> {
  const { requests, review } = chat.session;
  const draft =
    (target === undefined ? review.reviewed : null) ??
    (await requests.draftOf(target ?? requests.target));
  return new ChatSource(chat, draft);
}

/** The request of a turn of an open chat. */
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
      name: chatTitle(_chat),
      path,
      turn: turnOf(_chat.session.context.records, pair)
    };
    draft.changed.connect(() => {
      // The draft of the message being written moves on to the next message.
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
    const sent = sentFacts(this._chat, this._pair);
    const trimmed = runInfo(this._chat, this._pair)?.trimmed;
    return {
      version: this.draft.takeVersion('replay').n,
      requestId: sent?.requestId ?? this._pair,
      loggedHash: sent?.loggedHash ?? null,
      attached: (cell: string | null) => this._attached(cell),
      ...(trimmed ? { trimmed } : {})
    };
  }

  private _attached(cell: string | null): readonly IAttachment[] {
    const { model, session } = this._chat;
    const pair = Pair.find(model!.sharedModel, cell ?? this._pair);
    return [
      ...(pair ? readAttachments(pair.parts) : []),
      ...(cell === null ? session.draft.attachments : [])
    ];
  }

  private _pair: string;
}

/** The turns of a tracker's chats. */
export function chatTurns(tracker: IOpenChats): ITurns {
  const chatOf = ({ chatId }: IReplayOrigin) =>
    tracker.find(
      chat =>
        !chat.isDisposed &&
        (chat.session.info?.chatId ?? chat.context.path) === chatId
    ) ?? null;
  const isLive = ({ session }: ChatPanel, pair: string) =>
    session.draft.pair === pair;
  return {
    hash: origin => {
      const chat = chatOf(origin);
      const { pair } = origin;
      if (!chat) {
        return null;
      }
      const { requests } = chat.session;
      if (isLive(chat, pair)) {
        return requests.live.request.hash;
      }
      const edited = requests.target === pair ? requests.current : null;
      return edited?.request.hash ?? (runInfo(chat, pair)?.requestHash || null);
    },
    sent: origin => {
      const chat = chatOf(origin);
      return chat && sentFacts(chat, origin.pair);
    },
    source: async origin => {
      const chat = chatOf(origin);
      const { pair } = origin;
      if (!chat || !(isLive(chat, pair) || runInfo(chat, pair))) {
        return null;
      }
      return chatSource(chat, isLive(chat, pair) ? LIVE : pair);
    }
  };
}

function runInfo(chat: ChatPanel, pair: string): IRunInfo | null {
  return Pair.find(chat.model!.sharedModel, pair)?.run ?? null;
}

/** What a pair was sent with: as the server reported, else as the document says. */
function sentFacts(chat: ChatPanel, pair: string): ISentFacts | null {
  const info = runInfo(chat, pair);
  if (!info?.runId) {
    return null;
  }
  const { runId, wire } = chat.session.requests.parity.of(pair);
  if (runId === info.runId && wire) {
    return { requestId: runId, loggedHash: wire };
  }
  // A message that is being sent may still be refused.
  return info.state === 'sending' || !info.requestHash
    ? null
    : { requestId: info.runId, loggedHash: info.requestHash };
}
