import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import type { EventName, IRun } from '../base/run';
import type { ContextModel } from '../context/contextmodel';
import type { Results } from '../document/continue';
import type { IChatInfo } from '../document/metadata';
import type { RequestDraft } from '../request/draft';
import type { IPayload } from '../request/pause';
import type { ChatRequests } from '../request/requests';
import type { LiveRun } from '../runs/live';
import type { ChatAbout } from './about';
import type { Draft } from './draft';
import type { ChatEntry } from './entry';
import type { RunFollower } from './follower';
import type { IJournalFacts } from './journalfacts';
import type { SendModes } from './modes';
import type { NewReplies } from './newreplies';
import type { PairActions } from './pairactions';
import { SessionParts } from './parts';
import type { RefusedText } from './refused';
import type { Review } from './review';
import type { SendBudgets } from './sendbudget';
import type { Sender } from './sender';
import { tell } from './tell';

/**
 * What a chat does: sends messages, follows their runs and lands the replies.
 *
 * It knows the document and the server and nothing of widgets. Its parts do the work; this is what
 * others see of them.
 */
export class ChatSession implements IDisposable {
  constructor(options: ChatSession.IOptions) {
    this._options = options;
    const parts = new SessionParts(options);
    this._parts = parts;
    this.about = parts.about;
    this.actions = parts.actions;
    this.budgets = parts.budgets;
    this.context = parts.context;
    this.draft = parts.draft;
    this.entry = parts.entry;
    this.modes = parts.modes;
    this.news = parts.news;
    this.refused = parts.refused;
    this.requests = parts.requests;
    this.review = parts.review;
    this.ready = parts.ready;
    this.sent = parts.sender.sent;
    this.pairChanged = parts.runs.pairChanged;
    this.landed = parts.runs.landed;
    parts.changed.connect(() => this._changed.emit());
  }

  /** What the file says of itself, and what the user lets it ask for. */
  readonly about: ChatAbout;

  /** What the user does to pairs and their runs, besides sending them. */
  readonly actions: PairActions;

  /** How what would be sent next stands to the model's window. */
  readonly budgets: SendBudgets;

  /** Which chat this file is. */
  readonly entry: ChatEntry;

  /** What is visible, what fits, and what a message would take with it. */
  readonly context: ContextModel;

  /** The message being written. */
  readonly draft: Draft;

  /** The request of the message being written, and those of pairs that were sent. */
  readonly requests: ChatRequests;

  /** Pause & review and Auto-apply. */
  readonly modes: SendModes;

  /** The replies that were not looked at. */
  readonly news: NewReplies;

  /** Edited texts of pairs that were not sent again, for another try. */
  readonly refused: RefusedText;

  /** The send that waits for review. */
  readonly review: Review;

  /** Resolves when the document is read and the server was told of the chat. */
  readonly ready: Promise<void>;

  /** Emitted with a pair of this page that is on its way, once its cell is there. */
  readonly sent: Sender['sent'];

  /** Emitted when a pair is followed or no longer; its cell shows it. */
  readonly pairChanged: RunFollower['pairChanged'];

  /** Emitted with the pair whose reply has just landed, however it ended. */
  readonly landed: RunFollower['landed'];

  /** Emitted when anything a composer shows changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** The pair that this page sent last; null before the first. */
  get lastSent(): string | null {
    return this._parts.sender.lastSent;
  }

  /** Why nothing can be sent now, in words for the user; null if it can. */
  get obstacle(): string | null {
    return this._parts.sender.obstacle;
  }

  /** The run of this chat that is under way, from whatever page. The send lock is that it exists. */
  get busy(): IRun | null {
    return this._parts.sender.busy;
  }

  /** The attempt after which the server will make another one by itself. */
  get waiting(): IRun | null {
    return this._parts.runs.waiting;
  }

  /** The pair whose request has no answer from the server yet. */
  get posting(): string | null {
    return this._parts.sender.posting?.run.pair ?? null;
  }

  /** Whether the server has told which runs of this chat are open. */
  get journalRead(): boolean {
    return this._parts.runs.journalRead;
  }

  /** What the notebook says of itself. */
  get info(): IChatInfo | null {
    return this._parts.about.info;
  }

  /** The model that the next message goes to, as `provider/model`. */
  get model(): string {
    return this._parts.about.model;
  }
  set model(value: string) {
    this._parts.about.model = value;
  }

  /** What went wrong last, in words for the user; null if nothing did. */
  get notice(): string | null {
    return this._parts.notice.text;
  }
  set notice(value: string | null) {
    this._parts.notice.say(value);
  }

  /** The run that a pair's cell should show as it streams. */
  live(pair: string): LiveRun | null {
    return this._parts.runs.live(pair);
  }

  /** What the server's journal says of a pair. */
  journal(pair: string): IJournalFacts {
    return this._parts.journal(pair);
  }

  /** Send the message being written. */
  send(): Promise<void> {
    const { outgoings, sender } = this._parts;
    return sender.send(() => outgoings.message());
  }

  /** Send an edited message again, with the visible cells above it. */
  resend(pair: string, text: string): Promise<void> {
    const { outgoings, sender } = this._parts;
    return sender.send(() => outgoings.resend(pair, text));
  }

  /** Go on with a turn from a tool round; `written` are results that are not in the document yet. */
  continueTurn(pair: string, round: number, written?: Results): Promise<void> {
    const { outgoings, sender } = this._parts;
    return sender.send(() => outgoings.goOn(pair, round, written));
  }

  /** Send a request as its bytes are: for the last pair, or for a new one if that has a reply. */
  sendPayload(body: string, marks: IPayload['marks'] = {}): Promise<void> {
    const { outgoings, sender } = this._parts;
    return sender.send(() => outgoings.payload({ body, marks }));
  }

  /** Send the held message, exactly as the Request panel shows it. */
  resumeSend(): Promise<void> {
    return this._parts.sender.resume();
  }

  /** Stop the reply that is under way, or the waiting for a next attempt. What arrived stays. */
  stop(): Promise<void> {
    return this.actions.stop();
  }

  /** Make one more attempt at a pair's reply. */
  retry(pair: string): Promise<void> {
    return this.actions.retry(pair);
  }

  /** Let the server make no further attempt at a pair's reply by itself. */
  stopAutoRetry(pair: string): Promise<void> {
    return this.actions.stopAutoRetry(pair);
  }

  /** Tell the server's listeners what happened to a request: counts and hashes, no content. */
  tell(
    name: EventName,
    draft: RequestDraft,
    more?: Record<string, unknown>
  ): void {
    tell(this._options.api, name, draft, more);
  }

  /** Keep in the browser what is not kept yet: the page may go at once. */
  flush(): void {
    this._parts.flush();
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._parts.dispose();
    Signal.clearData(this);
  }

  private _changed = new Signal<this, void>(this);
  private _isDisposed = false;
  private _options: ChatSession.IOptions;
  private _parts: SessionParts;
}

/**
 * The namespace for `ChatSession` statics.
 */
export namespace ChatSession {
  export type IOptions = SessionParts.IOptions;
}
