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
import type { ChatOptions } from './chatoptions';
import type { Draft } from './draft';
import type { ChatEntry } from './entry';
import type { ChatFile } from './file';
import type { RunFollower } from './follower';
import type { IJournalFacts } from './journalfacts';
import type { LastTime } from './lasttime';
import type { SendModes } from './modes';
import type { NewReplies } from './newreplies';
import type { PairActions } from './pairactions';
import { SessionParts } from './parts';
import type { Prices } from './prices';
import type { RefusedText } from './refused';
import type { Review } from './review';
import type { SendBudgets } from './sendbudget';
import type { Sender } from './sender';
import { tell } from './tell';

/**
 * What a chat does: sends messages, follows their runs and lands the replies.
 *
 * It knows the document and the server, but no widgets. Its parts do the work; this is their public
 * face.
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
    this.lastTime = parts.lastTime;
    this.modes = parts.modes;
    this.news = parts.news;
    this.options = parts.options;
    this.prices = parts.prices;
    this.refused = parts.refused;
    this.requests = parts.requests;
    this.review = parts.review;
    this.ready = parts.ready;
    this.sent = parts.sender.sent;
    this.posted = parts.sender.posted;
    this.pairChanged = parts.runs.pairChanged;
    this.landed = parts.runs.landed;
    this.reread = options.file.reread;
    parts.changed.connect(() => this._changed.emit());
  }

  /** The file's metadata, and what the user allows it. */
  readonly about: ChatAbout;

  /** The user's actions on pairs and their runs, besides sending. */
  readonly actions: PairActions;

  /** The budget of what would be sent next. */
  readonly budgets: SendBudgets;

  /** Which chat this file is. */
  readonly entry: ChatEntry;

  /** What is visible, what fits, and the context of a message. */
  readonly context: ContextModel;

  /** The message being written. */
  readonly draft: Draft;

  /** The request of the message being written, and those of sent pairs. */
  readonly requests: ChatRequests;

  /** The last request to each model, to compare the next one with. */
  readonly lastTime: LastTime;

  /** Pause & review and Auto-apply. */
  readonly modes: SendModes;

  /** The replies that were not viewed. */
  readonly news: NewReplies;

  /** The options that go with all messages of the chat. */
  readonly options: ChatOptions;

  /** Edited texts of pairs that were not sent again, for another try. */
  readonly refused: RefusedText;

  /** The prices of models. */
  readonly prices: Prices;

  /** The paused message. */
  readonly review: Review;

  /** Resolves when the document has been read and the server knows the chat. */
  readonly ready: Promise<void>;

  /** Emitted with a pair that this page is sending, once its cell exists. */
  readonly sent: Sender['sent'];

  /** Emitted with a pair once the server has responded to it, or it is not sent after all. */
  readonly posted: Sender['posted'];

  /** Emitted when a pair is followed or no longer is; its cell shows it. */
  readonly pairChanged: RunFollower['pairChanged'];

  /** Emitted with the pair whose reply has just landed, however it ended. */
  readonly landed: RunFollower['landed'];

  /** Emitted when the file was read again, such as after another page landed a reply. */
  readonly reread: ChatFile['reread'];

  /** Emitted when anything that the composer shows changes. */
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

  /** Why nothing can be sent now, as a text for the user; null if it can. */
  get obstacle(): string | null {
    return this._parts.sender.obstacle;
  }

  /** The run of this chat that is in progress, from any page; until it ends, nothing can be sent. */
  get busy(): IRun | null {
    return this._parts.sender.busy;
  }

  /** The attempt after which the server will start another one. */
  get waiting(): IRun | null {
    return this._parts.runs.waiting;
  }

  /** The pair whose request the server has not responded to yet. */
  get posting(): string | null {
    return this._parts.sender.posting?.run.pair ?? null;
  }

  /** Whether the server has reported which runs of this chat are open. */
  get journalRead(): boolean {
    return this._parts.runs.journalRead;
  }

  /** The chat's metadata. */
  get info(): IChatInfo | null {
    return this._parts.about.info;
  }

  /** The model of the next message, as `provider/model`. */
  get model(): string {
    return this._parts.about.model;
  }
  set model(value: string) {
    this._parts.about.choose(value);
  }

  /** The latest problem, as a text for the user; null if there is none. */
  get notice(): string | null {
    return this._parts.notice.text;
  }
  set notice(value: string | null) {
    this._parts.notice.say(value);
  }

  /** The run whose stream a pair's cell should show. */
  live(pair: string, sibling?: number): LiveRun | null {
    return this._parts.runs.live(pair, sibling);
  }

  /** What the server's journal says about a pair, or about one of several replies to it. */
  journal(pair: string, sibling?: number): IJournalFacts {
    return this._parts.journal(pair, sibling);
  }

  /**
   * Send the message being written.
   *
   * @param models - The models to ask, with repeats; by default, that of the chat.
   */
  send(models: readonly string[] = []): Promise<void> {
    const { outgoings, sender } = this._parts;
    return sender.send(() => outgoings.message(models));
  }

  /** Ask other models for more replies to a pair, with the exact bytes that were sent. */
  askMore(pair: string, models: readonly string[]): Promise<void> {
    const { outgoings, sender } = this._parts;
    return sender.send(() => outgoings.more(pair, models));
  }

  /** Let a pair say another of its replies, as a step of undo. */
  choose(pair: string, sibling: number): void {
    this.actions.choose(pair, sibling);
  }

  /** Send an edited message again, with the visible cells above it. */
  resend(pair: string, text: string): Promise<void> {
    const { outgoings, sender } = this._parts;
    return sender.send(() => outgoings.resend(pair, text));
  }

  /** Ask again for a pair's reply, with the visible cells above it; the earlier one is a version. */
  regenerate(pair: string): Promise<void> {
    const { outgoings, sender } = this._parts;
    return sender.send(() => outgoings.regenerate(pair));
  }

  /** Continue a turn from a tool round; `written` are results that are not in the document yet. */
  continueTurn(pair: string, round: number, written?: Results): Promise<void> {
    const { outgoings, sender } = this._parts;
    if (written) {
      // A chat that is closed while the user is asked has them.
      this.actions.writeAwaited(pair, round, written);
    }
    return sender.send(() => outgoings.goOn(pair, round, written));
  }

  /**
   * Send a request's exact bytes, in a chat that was started from it: the reply goes to the last
   * pair, or to a new one if that has a reply.
   */
  sendPayload(body: string, marks: IPayload['marks'] = {}): Promise<void> {
    const { outgoings, sender } = this._parts;
    return sender.send(() => outgoings.payload({ body, marks }));
  }

  /** Send the paused message, exactly as the Request panel shows it. */
  resumeSend(): Promise<void> {
    return this._parts.sender.resume();
  }

  /** Stop the reply in progress, or the wait for a next attempt. What has arrived stays. */
  stop(): Promise<void> {
    return this.actions.stop();
  }

  /** Start another attempt at a pair's reply, or at one of several. */
  retry(pair: string, sibling?: number): Promise<void> {
    return this.actions.retry(pair, sibling);
  }

  /** Stop automatic retries of a pair's reply, or of one of several. */
  stopAutoRetry(pair: string, sibling?: number): Promise<boolean> {
    return this.actions.stopAutoRetry(pair, sibling);
  }

  /** Report what happened to a request to the server's event listeners, without its content. */
  tell(
    name: EventName,
    draft: RequestDraft,
    more?: Record<string, unknown>
  ): void {
    tell(this._options.api, name, draft, more);
  }

  /** Store what is not stored yet: the page may close at once. */
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

/** The namespace for `ChatSession` statics. */
export namespace ChatSession {
  export type IOptions = SessionParts.IOptions;
}
