import type { ISharedNotebook } from '@jupyter/ydoc';
import { UUID, type PartialJSONObject } from '@lumino/coreutils';

import { trans } from '../base/words';
import { errorMessage } from '../base/errors';
import type { INewRun } from '../base/run';
import type { ContextModel } from '../context/contextmodel';
import type { ContextCell } from '../context/gather';
import { pairCell } from '../document/chatfile';
import { beginContinue, roundsUpTo, type Results } from '../document/continue';
import { ensurePair, findPair, lastCell } from '../document/landing';
import type { IRunInfo } from '../document/metadata';
import { isReplayed } from '../document/lock';
import { Pair } from '../document/pair';
import { beginResend, cellBefore, removeUnsent } from '../document/resend';
import type { RequestDraft } from '../request/draft';
import type { IHeld, IPayload } from '../request/pause';
import { splitModel } from '../request/render';
import type { ChatRequests } from '../request/requests';
import { baseFromBody } from '../request/sections';
import type { ChatAbout } from './about';
import type { Draft } from './draft';
import type { ChatFile } from './file';
import type { Notice } from './notice';
import type { RefusedText } from './refused';
import type { RequestHost } from './requesthost';
import { keepResults } from './results';

/** A request whose pair is in the document. */
export interface IPlaced extends Pick<INewRun, 'pair' | 'cell' | 'after'> {
  /** The run metadata of the pair. */
  readonly info: IRunInfo;
  /** Whether the pair had been sent before. */
  readonly resend: boolean;
  /** Whether the pair existed before, and stays. */
  readonly isOld: boolean;
  /** Undo placing it, because nothing was sent; the user gets the text back. */
  takeBack(): void;
}

/**
 * Something that the user wants to send, in one of five ways; `Sender` handles all of them alike.
 */
export interface Outgoing {
  /** Its form as a paused message. */
  readonly held: IHeld;
  /** Whether the composer itself shows why it cannot be sent. */
  readonly isQuiet: boolean;
  /** A text that says what is kept of it when another message is paused. */
  readonly kept: string;
  /**
   * Load what is needed and not in the document; return whether it can be sent, and tell the user
   * if not.
   */
  load?(): Promise<boolean>;
  /** Why its pair can no longer be sent, as a text; null if it can. */
  gone(): string | null;
  /** The current request; null if there is none. `state` holds stored edits of it. */
  draft(state?: Uint8Array): RequestDraft | null;
  /** Insert it into the document. */
  place(info: IRunInfo): IPlaced;
  /** To be called when it has been sent from where it was written. */
  left(): void;
  /** Write into the document what a paused message does not contain. */
  write(): void;
  /** Keep what the user wrote, because it is not sent now. */
  keep(): void;
}

const noPair = () =>
  trans.__('Nothing was sent: the pair is not in the chat any more.');

/** Creates what is sent. */
export class Outgoings {
  constructor(private _parts: Outgoings.IOptions) {}

  /** The message being written; null if it is empty. */
  message(): Outgoing | null {
    const { draft, notebook } = this._parts;
    if (findPair(notebook, draft.pair)) {
      // Another page on this chat has sent the message for which this id was reserved.
      draft.renew();
    }
    return draft.isEmpty ? null : new NewMessage(this._parts);
  }

  /** A pair with another text; null if there is nothing to send. */
  resend(pair: string, text: string): Outgoing | null {
    const found = Pair.find(this._parts.notebook, pair);
    return found && (text.trim() || found.text.attachments.length)
      ? new Resend(this._parts, pair, text)
      : null;
  }

  /**
   * A pair that asks for its reply again, or for the first time if it came with a replay; null if it
   * was sent and has no reply, or if its text is not what it sends.
   */
  regenerate(pair: string): Outgoing | null {
    const found = Pair.find(this._parts.notebook, pair);
    const asks =
      found &&
      (found.hasReply ||
        (isReplayed(found.cell) && found.storedRun === undefined));
    const { source = '', text } = found ?? {};
    return asks &&
      (source.trim() || text?.attachments.length) &&
      !found.messages
      ? new Regenerate(this._parts, pair, source)
      : null;
  }

  /**
   * A turn that continues from one of its tool rounds, with results that are not in the document
   * yet.
   */
  goOn(
    pair: string,
    round: number,
    written: Results = new Map()
  ): Outgoing | null {
    const text = Pair.find(this._parts.notebook, pair)?.source;
    return text === undefined
      ? null
      : new Continue(this._parts, pair, text, round, written);
  }

  /** The bytes of a request: for the last pair, or for a new one if that has a reply. */
  payload(payload: IPayload): Outgoing {
    const { notebook } = this._parts;
    const last = Pair.find(notebook, lastCell(notebook) ?? '');
    const waiting = last?.hasReply ? null : last;
    const pair = waiting?.id ?? UUID.uuid4();
    return new Payload(this._parts, pair, waiting?.source ?? '', payload);
  }

  /** A paused message. */
  again({ pair, text, resend, regenerate, round, payload }: IHeld): Outgoing {
    if (payload) {
      return new Payload(this._parts, pair, text, payload);
    }
    if (round !== undefined) {
      return new Continue(this._parts, pair, text, round, new Map());
    }
    if (regenerate) {
      return new Regenerate(this._parts, pair, text);
    }
    return resend
      ? new Resend(this._parts, pair, text)
      : new NewMessage(this._parts);
  }
}

/**
 * The namespace for `Outgoings` statics.
 */
export namespace Outgoings {
  export interface IOptions {
    about: Pick<ChatAbout, 'chatId' | 'model' | 'topic'>;
    context: ContextModel;
    draft: Draft;
    file: Pick<ChatFile, 'autosave' | 'repeatable'>;
    host: Pick<RequestHost, 'debugName' | 'frameOf'>;
    notebook: ISharedNotebook;
    notice: Notice;
    refused: RefusedText;
    requests: ChatRequests;
  }
}

abstract class Sent {
  constructor(protected parts: Outgoings.IOptions) {}

  readonly isQuiet: boolean = false;
  readonly kept: string = '';

  left(): void {
    return;
  }

  write(): void {
    return;
  }

  keep(): void {
    return;
  }
}

/** The message being written becomes a pair at the end. */
class NewMessage extends Sent implements Outgoing {
  override readonly isQuiet = true;

  get held(): IHeld {
    const { pair, text } = this.parts.draft;
    return { pair, text, at: Date.now(), resend: false };
  }

  gone(): null {
    return null;
  }

  draft(): RequestDraft | null {
    const { draft, requests } = this.parts;
    return draft.isEmpty ? null : requests.live;
  }

  place(info: IRunInfo): IPlaced {
    const { about, draft, file, notebook } = this.parts;
    const { pair, text, attachments } = draft;
    const marks = about.topic ? { topic: about.topic } : {};
    const cell = pairCell(pair, text, info, marks, attachments);
    const after = lastCell(notebook);
    file.repeatable(() => ensurePair(notebook, cell, after));
    const takeBack = () => {
      removeUnsent(notebook, pair, info.runId);
      draft.restore(pair, text, attachments);
    };
    return { pair, cell, after, info, resend: false, isOld: false, takeBack };
  }

  override left(): void {
    this.parts.draft.clear();
  }
}

/** A pair is sent with another text; its previous state is kept as a version. */
class Resend extends Sent implements Outgoing {
  constructor(
    parts: Outgoings.IOptions,
    private _pair: string,
    private _text: string
  ) {
    super(parts);
  }

  override readonly kept: string = trans.__('The edited text is kept.');

  get held(): IHeld {
    return { pair: this._pair, text: this._text, at: Date.now(), resend: true };
  }

  gone(): string | null {
    return findPair(this.parts.notebook, this._pair) ? null : noPair();
  }

  draft(state?: Uint8Array): RequestDraft {
    return this.parts.requests.resend(this._pair, this._text, state);
  }

  place(info: IRunInfo): IPlaced {
    return placeAgain(this.parts.notebook, this._pair, info, (cell, next) => {
      const takeBack = beginResend(this.parts.notebook, cell, this._text, next);
      return () => {
        takeBack();
        this.keep();
      };
    });
  }

  override keep(): void {
    this.parts.refused.keep(this._pair, this._text);
  }
}

/** A pair asks again for its reply. There is no new text to keep. */
class Regenerate extends Resend {
  override readonly kept = '';

  override get held(): IHeld {
    return { ...super.held, regenerate: true };
  }

  override keep(): void {
    return;
  }
}

/** A turn continues from one of its tool rounds. */
class Continue extends Sent implements Outgoing {
  constructor(
    parts: Outgoings.IOptions,
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
    return placeAgain(notebook, this._pair, info, (cell, next) =>
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
class Payload extends Sent implements Outgoing {
  constructor(
    parts: Outgoings.IOptions,
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

/** Start the next attempt at a pair; `begin` returns what undoes it. */
function placeAgain(
  notebook: ISharedNotebook,
  pair: string,
  made: IRunInfo,
  begin: (cell: Pair['cell'], info: IRunInfo) => () => void
): IPlaced {
  const placed = Pair.find(notebook, pair)!;
  const before = placed.run;
  const info = {
    ...made,
    attempt: (before?.attempt ?? 0) + 1,
    createdAt: before?.createdAt || made.createdAt
  };
  const takeBack = begin(placed.cell, info);
  return {
    pair,
    cell: placed.toJSON(),
    after: cellBefore(notebook, pair),
    info,
    resend: true,
    isOld: true,
    takeBack
  };
}
