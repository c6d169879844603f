/** What is sent with bytes that are there already: continued turns, payloads, more replies. */
import { UUID, type PartialJSONObject } from '@lumino/coreutils';

import { trans } from '../base/words';
import { errorMessage } from '../base/errors';
import type { ContextCell } from '../context/gather';
import { pairCell } from '../document/chatfile';
import { beginContinue, roundsUpTo, type Results } from '../document/continue';
import { ensurePair, findPair, lastCell } from '../document/landing';
import { isGroup, type IRunInfo } from '../document/metadata';
import {
  MOST_REPLIES,
  readSibling,
  type ISiblingMark
} from '../document/siblingmark';
import { Pair } from '../document/pair';
import { cellBefore, removeUnsent, restoreRun } from '../document/resend';
import {
  beginSiblings,
  joinGroup,
  lastAttempt,
  nextSibling,
  siblingsOf
} from '../document/siblings';
import type { RequestDraft } from '../request/draft';
import { withModel } from '../request/othermodel';
import type { IHeld, IPayload } from '../request/pause';
import { splitModel } from '../request/render';
import { baseFromBody } from '../request/sections';
import {
  heldModels,
  noPair,
  placeAgain,
  Sent,
  type IOutgoingParts,
  type IPlaced,
  type Outgoing
} from './outgoing';
import { keepResults } from './results';
import { changedSince, hasOther, lacksSent } from './sentbefore';

/** A turn continues from one of its tool rounds. */
export class Continue extends Sent implements Outgoing {
  constructor(
    parts: IOutgoingParts,
    private _pair: string,
    private _text: string,
    private _round: number,
    private _written: Results
  ) {
    super(parts);
  }

  override readonly kept = trans.__('The results are kept.');

  get held(): IHeld {
    const { _pair: pair, _text: text, _round: round } = this;
    return { pair, text, at: Date.now(), resend: true, round };
  }

  async load(): Promise<boolean> {
    const { host, notebook, notice } = this.parts;
    try {
      const before = Pair.find(notebook, this._pair)?.run;
      this._frame = await host.frameOf(before?.runId);
      return true;
    } catch (error) {
      notice.say(trans.__('Nothing was sent: %1', errorMessage(error)));
      return false;
    }
  }

  gone(): string | null {
    return findPair(this.parts.notebook, this._pair) ? null : noPair();
  }

  draft(state?: Uint8Array): RequestDraft | null {
    const { context, notebook, notice, requests } = this.parts;
    const pair = Pair.find(notebook, this._pair);
    if (!pair) {
      notice.say(noPair());
      return null;
    }
    const said: ContextCell = {
      kind: 'pair',
      id: this._pair,
      user: pair.source,
      attachments: pair.text.attachments,
      rounds: roundsUpTo(pair.parts, this._round, this._written),
      reply: '',
      state: 'idle'
    };
    const whole = context.gatherTurn(said);
    return requests.goOn(this._pair, whole, this._frame, state);
  }

  place(info: IRunInfo): IPlaced {
    const { notebook } = this.parts;
    // Of several replies, the one that is chosen continues.
    const mark = readSibling(Pair.find(notebook, this._pair)?.run);
    return placeAgain(
      notebook,
      this._pair,
      { ...info, ...mark },
      (cell, next) =>
        beginContinue(notebook, cell, this._round, next, this._written)
    );
  }

  override write(): void {
    const { file, notebook } = this.parts;
    keepResults(notebook, file, this._pair, this._round, this._written);
  }

  override keep(): void {
    this.write();
  }

  private _frame: PartialJSONObject | null = null;
}

/** A request whose bytes are sent unchanged, in a chat that was started from it. */
export class Payload extends Sent implements Outgoing {
  constructor(
    parts: IOutgoingParts,
    private _pair: string,
    private _text: string,
    private _payload: IPayload
  ) {
    super(parts);
  }

  get held(): IHeld {
    const { _pair: pair, _text: text, _payload: payload } = this;
    return { pair, text, at: Date.now(), resend: true, payload };
  }

  gone(): string | null {
    return Pair.find(this.parts.notebook, this._pair)?.hasReply
      ? trans.__('Nothing was sent: the pair has a reply by now.')
      : null;
  }

  /** The request, with the cells that its messages come from. */
  draft(state?: Uint8Array): RequestDraft {
    const { about, context, host, requests } = this.parts;
    const { messages, sections } = context.gather('');
    const base = baseFromBody(this._payload.body, {
      chatId: about.chatId,
      pair: this._pair,
      provider: splitModel(about.model).provider,
      source: 'record',
      cells: { messages: messages.slice(0, -1), sections },
      debugName: host.debugName(this._pair)
    });
    return requests.exact(base, state);
  }

  place(made: IRunInfo): IPlaced {
    const { notebook } = this.parts;
    const { _pair: pair } = this;
    const { edited } = made;
    const { marks } = this._payload;
    const info = { ...made, ...marks, ...(edited ? { edited } : {}) };
    const waiting = Pair.find(notebook, pair);
    const after = waiting ? cellBefore(notebook, pair) : lastCell(notebook);
    if (waiting) {
      notebook.transact(() => waiting.setRun(info), false);
    } else {
      ensurePair(notebook, pairCell(pair, '', info), after);
    }
    return {
      pair,
      cell: Pair.find(notebook, pair)!.toJSON(),
      after,
      info,
      resend: false,
      isOld: waiting !== null,
      takeBack: () => {
        if (waiting) {
          notebook.transact(() => waiting.setRun(undefined), false);
        } else {
          removeUnsent(notebook, pair, info.runId);
        }
      }
    };
  }
}

/** More replies to a message that was sent: its exact bytes, to other models. */
export class MoreReplies extends Sent implements Outgoing {
  constructor(
    parts: IOutgoingParts,
    private _pair: string,
    models: readonly string[]
  ) {
    super(parts, models);
  }

  get held(): IHeld {
    const { _pair: pair, models } = this;
    const text = Pair.find(this.parts.notebook, pair)?.source ?? '';
    return {
      pair,
      text,
      at: Date.now(),
      resend: true,
      more: true,
      ...heldModels(models)
    };
  }

  override firstSibling(): ISiblingMark | null {
    const pair = Pair.find(this.parts.notebook, this._pair);
    const known = pair?.run?.group;
    const group = isGroup(known) ? known : this._newGroup;
    return pair && { group, sibling: nextSibling(pair, this.models.length) };
  }

  async load(): Promise<boolean> {
    const { host, notebook, notice } = this.parts;
    try {
      const run = Pair.find(notebook, this._pair)?.run?.runId;
      this._body = run ? await host.firstRequest(run) : null;
    } catch (error) {
      notice.say(trans.__('Nothing was sent: %1', errorMessage(error)));
      return false;
    }
    if (this._body === null) {
      notice.say(
        trans.__(
          'Nothing was sent: this server no longer has the request of this pair. Use Edit & Resend instead.'
        )
      );
      return false;
    }
    const gone = this.gone();
    if (gone !== null) {
      notice.say(gone);
    }
    return gone === null;
  }

  gone(): string | null {
    const { host, notebook } = this.parts;
    const pair = Pair.find(notebook, this._pair);
    if (!pair) {
      return noPair();
    }
    const count = siblingsOf(pair).length || 1;
    if (count + this.models.length > MOST_REPLIES) {
      return trans.__(
        'Nothing was sent: a message can have at most %1 replies, and this one has %2. Ask for fewer, or send a new message.',
        MOST_REPLIES,
        count
      );
    }
    const now = host.sentPair(pair.id)?.context.messages ?? [];
    return lacksSent(notebook, pair) ||
      (this._body !== null && hasOther(notebook, pair, this._body, now))
      ? trans.__('Nothing was sent: %1', changedSince())
      : null;
  }

  draft(state?: Uint8Array): RequestDraft | null {
    const { about, host, requests } = this.parts;
    const { provider, model } = splitModel(this.models[0] ?? about.model);
    const body = this._body && withModel(this._body, model);
    if (!body) {
      return null;
    }
    const base = baseFromBody(body, {
      chatId: about.chatId,
      pair: this._pair,
      provider,
      source: 'record',
      debugName: host.debugName(this._pair)
    });
    return requests.exact(base, state);
  }

  place(made: IRunInfo): IPlaced {
    const { notebook } = this.parts;
    const pair = Pair.find(notebook, this._pair)!;
    const before = pair.storedRun;
    const { group, sibling = 0, context = [], runId } = pair.run ?? {};
    if (group !== made.group) {
      joinGroup(notebook, pair, { group: made.group!, sibling });
    }
    const info = { ...made, context, attempt: lastAttempt(pair) + 1 };
    const undo = beginSiblings(notebook, pair, [info]);
    return {
      pair: this._pair,
      cell: pair.toJSON(),
      after: cellBefore(notebook, this._pair),
      info,
      resend: true,
      isOld: true,
      takeBack: () => {
        undo();
        // In another tab another reply may have been chosen meanwhile.
        if (pair.run?.runId === runId) {
          restoreRun(notebook, pair, before);
        }
      }
    };
  }

  private _body: string | null = null;
  private _newGroup = UUID.uuid4();
}
