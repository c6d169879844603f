import type { ISharedNotebook } from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import type { EventName, IRun } from '../base/run';
import type { IBudgetState } from '../context/budget';
import type { ContextModel } from '../context/contextmodel';
import type { Results } from '../document/continue';
import { landedRuns } from '../document/landing';
import type { IChatInfo, IProblem } from '../document/metadata';
import type { AutoApply } from '../request/autoapply';
import type { IFrameEntry } from '../request/chatframe';
import type { RequestDraft } from '../request/draft';
import type { IPayload } from '../request/pause';
import type { PauseControl } from '../request/pausecontrol';
import type { ChatRequests } from '../request/requests';
import type { LiveRun } from '../runs/live';
import type { Draft } from './draft';
import type { ChatEntry } from './entry';
import type { IFileAsk } from './fileask';
import type { RunFollower } from './follower';
import type { IJournalFacts } from './journalfacts';
import type { NewReplies } from './newreplies';
import { SessionParts } from './parts';
import { keepResults } from './results';
import type { Review } from './review';
import type { ISendBudget } from './sendbudget';
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
    this._runs = parts.runs;
    this.entry = parts.entry;
    this.context = parts.context;
    this.draft = parts.draft;
    this.requests = parts.requests;
    this.pause = parts.modes.pause;
    this.rules = parts.modes.rules;
    this.news = parts.news;
    this.ready = parts.ready;
    this.sent = parts.sender.sent;
    this.held = parts.review.held;
    this.canceled = parts.review.canceled;
    this.pairChanged = parts.runs.pairChanged;
    this.landed = parts.runs.landed;
    parts.changed.connect(() => this._changed.emit());
  }

  /** Which chat this file is. */
  readonly entry: ChatEntry;

  /** What is visible, what fits, and what a message would take with it. */
  readonly context: ContextModel;

  /** The message being written. */
  readonly draft: Draft;

  /** The request of the message being written, and those of pairs that were sent. */
  readonly requests: ChatRequests;

  /** Pause & review: whether sends wait, and the one that does. */
  readonly pause: PauseControl;

  /** Auto-apply: the edits that later requests get too. */
  readonly rules: AutoApply;

  /** The replies that were not looked at. */
  readonly news: NewReplies;

  /** Resolves when the document is read and the server was told of the chat. */
  readonly ready: Promise<void>;

  /** Emitted with a pair of this page that is on its way, once its cell is there. */
  readonly sent: Sender['sent'];

  /** Emitted with a message that was stopped for review. */
  readonly held: Review['held'];

  /** Emitted with a message that waited and was taken back. */
  readonly canceled: Review['canceled'];

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

  /** The request to be reviewed: the held one, or else the one that is looked at. */
  get reviewed(): RequestDraft | null {
    return this._parts.review.reviewed;
  }

  /** The pair that this page sent last; null before the first. */
  get lastSent(): string | null {
    return this._parts.sender.lastSent;
  }

  /** Whether the next send waits for review. */
  get isPaused(): boolean {
    return this._parts.modes.isPaused;
  }

  /** Leave Pause & review and Auto-apply off in this chat, unless the user has chosen here. */
  leaveModesOff(): void {
    this._parts.modes.leaveOff();
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
    return this._runs.waiting;
  }

  /** The pair whose request has no answer from the server yet. */
  get posting(): string | null {
    return this._parts.sender.posting?.run.pair ?? null;
  }

  /** Whether the server has told which runs of this chat are open. */
  get journalRead(): boolean {
    return this._runs.journalRead;
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

  /** The topic that new pairs get; empty for none. */
  get topic(): string {
    return this._parts.about.topic;
  }
  set topic(value: string) {
    this._parts.about.topic = value;
  }

  /** What the file asks for that the user has not agreed to; null if nothing. */
  get asks(): IFileAsk | null {
    return this._parts.about.asks;
  }

  /** The user has given the chat these options. */
  setOptions(options: IFrameEntry): void {
    this._parts.about.writeOptions(options);
  }

  /** What in the document cannot be read. */
  get problems(): IProblem[] {
    return this._parts.about.problems;
  }

  /** The pair that is being edited to be sent again, and its text; the budget is then that of this send. */
  get editing(): { pair: string; text: string } | null {
    return this._parts.budgets.editing;
  }
  set editing(editing: { pair: string; text: string } | null) {
    this._parts.budgets.editing = editing;
    this._parts.emit();
  }

  /** How what would be sent next stands to the model's window. */
  get budget(): IBudgetState {
    return this._parts.budgets.state;
  }

  /** The budget of a send that takes other cells than the context; null if it is that of the context. */
  get sendBudget(): ISendBudget | null {
    return this._parts.budgets.send;
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
    return this._runs.live(pair);
  }

  /** What the server's journal says of a pair. */
  journal(pair: string): IJournalFacts {
    return {
      // A request that is on its way to the server is in no journal yet.
      read: this._runs.journalRead && this.posting !== pair,
      newest: this._runs.newest(pair),
      skew: this._options.socket.skew
    };
  }

  /** The runs whose replies the document has, also of other chats. */
  get landedRuns(): ReadonlySet<string> {
    return landedRuns(this._notebook);
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

  /**
   * Go on with a turn from one of its tool rounds, with the visible cells above it.
   *
   * @param written - Results that the user wrote and that are not in the document yet.
   */
  continueTurn(
    pair: string,
    round: number,
    written: Results = new Map()
  ): Promise<void> {
    const { outgoings, sender } = this._parts;
    return sender.send(() => outgoings.goOn(pair, round, written));
  }

  /**
   * Send a request as its bytes are, for a chat that was started from it: the reply goes to the
   * last pair, or to a new one if that has a reply.
   */
  sendPayload(body: string, marks: IPayload['marks'] = {}): Promise<void> {
    const { outgoings, sender } = this._parts;
    return sender.send(() => outgoings.payload({ body, marks }));
  }

  /** Send the held message, exactly as the Request panel shows it. */
  resumeSend(): Promise<void> {
    return this._parts.sender.resume();
  }

  /** Take the held message back: into the composer, or into its pair's editor. */
  cancelSend(): Promise<void> {
    return this._parts.review.cancel();
  }

  /** Keep an edited text whose editor went away, for when the pair is edited again. */
  keepRefused(pair: string, text: string): void {
    this._parts.refused.keep(pair, text);
  }

  /** The edited text of a pair that could not be sent again, for another try. */
  takeRefused(pair: string): string | null {
    return this._parts.refused.take(pair);
  }

  /** Write down results of tools; nothing is sent. */
  writeResults(pair: string, round: number, written: Results): void {
    keepResults(this._notebook, this._options.file, pair, round, written);
  }

  /** Take a round of tool calls out of a pair; it is kept as a version. */
  removeRound(pair: string, round: number): void {
    this._parts.actions.removeRound(pair, round);
  }

  /** Delete a pair; Ctrl+Z brings it back, with its reply. */
  deletePair(pair: string): Promise<void> {
    return this._parts.actions.delete(pair);
  }

  /** Give a run of a deleted pair back to the document. */
  recover(run: IRun): Promise<void> {
    return this._parts.actions.recover(run);
  }

  /** Take over the pair of a chat whose file is gone, at the end of this one. */
  async adopt(found: { run: IRun; text: string }): Promise<void> {
    await this.ready;
    await this._parts.actions.adopt(found);
  }

  /** Stop the reply that is under way, or the waiting for a next attempt. What arrived stays. */
  stop(): Promise<void> {
    return this._parts.actions.stop();
  }

  /** Make one more attempt at a pair's reply. */
  async retry(pair: string): Promise<void> {
    await this.ready;
    await this._parts.actions.retry(pair);
  }

  /** Let the server make no further attempt at a pair's reply by itself. */
  stopAutoRetry(pair: string): Promise<void> {
    return this._parts.actions.stopAutoRetry(pair);
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
    const { draft, requests, review } = this._parts;
    draft.flush();
    for (const keeping of [requests.flush(), review.flush()]) {
      keeping.catch(error => {
        console.warn('Turnbook: edits of the request cannot be kept', error);
      });
    }
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._parts.dispose();
    Signal.clearData(this);
  }

  private get _notebook(): ISharedNotebook {
    return this._options.context.model.sharedModel;
  }

  private _changed = new Signal<this, void>(this);
  private _isDisposed = false;
  private _options: ChatSession.IOptions;
  private _parts: SessionParts;
  private _runs: RunFollower;
}

/**
 * The namespace for `ChatSession` statics.
 */
export namespace ChatSession {
  export type IOptions = SessionParts.IOptions;
}
