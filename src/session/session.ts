import type { ISharedNotebook } from '@jupyter/ydoc';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { ICodeCell } from '@jupyterlab/nbformat';
import type { INotebookModel } from '@jupyterlab/notebook';
import { ServerConnection } from '@jupyterlab/services';
import {
  PromiseDelegate,
  UUID,
  type PartialJSONObject
} from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import type { IBudgetState } from '../context/budget';
import {
  cellMessages,
  continuedContext,
  idRanges,
  type ContextCell
} from '../context/gather';
import { countedText } from '../context/tokens';
import { pairCell } from '../document/chatfile';
import {
  beginContinue,
  removeRound,
  roundsUpTo,
  writeResults,
  type Results
} from '../document/continue';
import {
  ensurePair,
  findPair,
  landedRuns,
  lastCell
} from '../document/landing';
import {
  KEYS,
  readRunInfo,
  type IChatInfo,
  type IProblem,
  type IRunInfo
} from '../document/metadata';
import {
  beginResend,
  cellBefore,
  markUnsent,
  removeUnsent
} from '../document/resend';
import type { ModelCatalog } from '../runs/catalog';
import { AutoApply, type SharedRules } from '../request/autoapply';
import type { RequestDraft } from '../request/draft';
import { countsForEvents, eventFacts } from '../request/facts';
import { type IFrameEntry } from '../request/chatframe';
import { DraftKeeper } from '../request/keeper';
import type { IEditedRequest } from '../request/model';
import { notableOptions } from '../request/options';
import { isEditor, type IHeld, type IPayload } from '../request/pause';
import { PauseControl } from '../request/pausecontrol';
import { refusal } from '../request/problems';
import { splitModel } from '../request/render';
import { ChatRequests, LIVE } from '../request/requests';
import { baseFromBody } from '../request/sections';
import type { IRequestStorage } from '../base/storage';
import { sendMarks } from '../request/trace';
import {
  isAlive,
  type EventName,
  type INewRun,
  type IOpening,
  type IRun
} from '../base/run';
import { ApiError, type TurnbookAPI } from '../runs/api';
import type { LiveRun } from '../runs/live';
import { reconnectDelay, type RunSocket } from '../runs/socket';
import { ChatAbout } from './about';
import { RunClaims } from './claims';
import { ContextModel } from '../context/contextmodel';
import { contextSource } from './contextsource';
import { Draft } from './draft';
import { ChatEntry } from './entry';
import type { ChatFile } from './file';
import type { IFileAsk } from './fileask';
import { NewReplies } from './newreplies';
import { RunFollower } from './follower';
import { LostMessages } from './lostmessages';
import { Notice } from './notice';
import { Outbox, type IHeldMessage } from './outbox';
import type { OwnRuns } from './ownruns';
import { FilePermit } from './permit';
import { RequestHost } from './requesthost';
import type { IJournalFacts } from './journalfacts';
import { requestBudget, resendBudget, type ISendBudget } from './sendbudget';
import type { ChatSettings } from './settings';
import { errorWords } from '../base/errors';

/** What to say when another reply of the chat is under way. */
const BUSY =
  'A reply in this chat is still under way, perhaps in another tab. Nothing was sent; wait for it or stop it.';

const UNTOLD = 'The server could not be told of this chat';

/**
 * What a chat does: sends messages, follows their runs and lands the replies.
 *
 * It knows the document and the server and nothing of widgets.
 */
export class ChatSession implements IDisposable {
  constructor(options: ChatSession.IOptions) {
    this._options = options;
    const { context } = options;
    this.draft = new Draft({ storage: options.storage });
    this.news = new NewReplies(options.storage);
    this._outbox = new Outbox(options.storage);
    this._own = options.own;
    this.about = new ChatAbout({
      ...options,
      register: (info, more) => {
        this._opened = this._register(info, more);
      }
    });
    this.about.chosen.connect((_, what) =>
      what === 'model' ? this._onCatalog() : this._emit()
    );
    this._notice.said.connect(this._emit, this);
    this._lost = new LostMessages({
      api: options.api,
      outbox: this._outbox,
      own: this._own,
      isPosting: id => this._posting?.id === id,
      giveBack: message => this._giveBack(message)
    });
    this.entry = new ChatEntry({
      api: options.api,
      path: () => context.localPath,
      write: info => this.about.write(info),
      reopen: (info, more) => {
        this._opened = this._register(info, more);
      }
    });
    this._permit = new FilePermit({
      ...options,
      about: this.about,
      entry: this.entry,
      notice: this._notice
    });
    this._claims = new RunClaims({
      api: options.api,
      chat: () => this._opened.then(() => this.entry.chatId)
    });
    this._runs = new RunFollower({
      ...options,
      claims: this._claims,
      own: this._own
    });
    this._runs.changed.connect(this._emit, this);
    this._runs.pairChanged.connect(this._onPairChanged, this);
    this._runs.trouble.connect((_, words) => this._notice.say(words));
    this.context = new ContextModel({
      notebook: context.model.sharedModel,
      source: contextSource(
        options.catalog,
        options.settings,
        () => this.model
      ),
      isNew: id => this.news.has(id)
    });
    this._host = new RequestHost({
      about: this.about,
      api: options.api,
      context: this.context,
      draft: this.draft,
      notebook: context.model.sharedModel,
      path: () => context.path
    });
    this.requests = new ChatRequests({
      host: this._host,
      getRequest: id => this._host.journalBytes(id),
      storage: options.requestStorage
    });
    this.requests.changed.connect(this._emit, this);
    this.pause = new PauseControl({ store: options.requestStorage });
    this.pause.changed.connect(this._emit, this);
    this._heldKeeper = new DraftKeeper(options.requestStorage);
    this.rules = new AutoApply({
      shared: options.sharedRules,
      storage: options.requestStorage,
      read: () => this.about.entry?.autoApply,
      write: rules => this.about.writeRules(rules),
      isOwn: () => this.about.isOwn,
      now: () => Date.now()
    });
    this.rules.changed.connect(this._onRules, this);
    this._takeModes();
    this.requests.parity.mismatch.connect(this._onMismatch, this);
    this.context.changed.connect(this._onSource, this);
    this.draft.changed.connect(this._onSource, this);
    this.ready = context.ready.then(() => this._open());
    context.pathChanged.connect(this._onPathChanged, this);
    context.model.sharedModel.metadataChanged.connect(() =>
      this.requests.refresh()
    );
    options.file.reread.connect(this._onReread, this);
    options.catalog.changed.connect(this._onCatalog, this);
    options.settings.changed.connect(this._onSettings, this);
  }

  /** What the chat says of itself. */
  readonly about: ChatAbout;

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

  /** Emitted when anything a composer shows changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Emitted when a pair is followed or no longer; its cell shows it. */
  get pairChanged(): ISignal<RunFollower, string> {
    return this._runs.pairChanged;
  }

  /** Emitted with a pair of this page that is on its way, once its cell is there. */
  get sent(): ISignal<this, string> {
    return this._sent;
  }

  /** Emitted with a message that was stopped for review. */
  get held(): ISignal<this, IHeld> {
    return this._held;
  }

  /** Emitted with a message that waited and was taken back. */
  get canceled(): ISignal<this, IHeld> {
    return this._canceled;
  }

  /** The request to be reviewed: the held one, or else the one that is looked at. */
  get reviewed(): RequestDraft | null {
    // While that one is being made, no other must stand for it.
    return this.requests.target === LIVE && this.pause.held?.resend
      ? this._heldResend
      : this.requests.current;
  }

  /** The pair that this page sent last; null before the first. */
  get lastSent(): string | null {
    return this._lastSent;
  }

  /** Whether the next send waits for review. */
  get isPaused(): boolean {
    const { current } = this._options.settings;
    return current['requestEditor.enabled'] && this.pause.mode !== 'off';
  }

  /** Leave Pause & review and Auto-apply off in this chat, unless the user has chosen here. */
  leaveModesOff(): void {
    if (!this.pause.isChosen) {
      this.pause.mode = 'off';
    }
    if (!this.rules.isChosen) {
      this.rules.on = false;
    }
  }

  /** Why nothing can be sent now, in words for the user; null if it can. */
  get obstacle(): string | null {
    return this.busy ? BUSY : null;
  }

  /** Emitted with the pair whose reply has just landed, however it ended. */
  get landed(): ISignal<RunFollower, string> {
    return this._runs.landed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** What the notebook says of itself. */
  get info(): IChatInfo | null {
    return this.about.info;
  }

  /** The run of this chat that is under way, from whatever page. The send lock is that it exists. */
  get busy(): IRun | null {
    return this._posting ?? this._runs.busy;
  }

  /** The attempt after which the server will make another one by itself. */
  get waiting(): IRun | null {
    return this._runs.waiting;
  }

  /** The pair whose request has no answer from the server yet. */
  get posting(): string | null {
    return this._posting?.pair ?? null;
  }

  /** Whether the server has told which runs of this chat are open. */
  get journalRead(): boolean {
    return this._runs.journalRead;
  }

  /** The model that the next message goes to, as `provider/model`. */
  get model(): string {
    return this.about.model;
  }
  set model(value: string) {
    this.about.model = value;
  }

  /** What the file asks for that the user has not agreed to; null if nothing. */
  get asks(): IFileAsk | null {
    return this.about.asks;
  }

  /** The topic that new pairs get; empty for none. */
  get topic(): string {
    return this.about.topic;
  }
  set topic(value: string) {
    this.about.topic = value;
  }

  /** The pair that is being edited to be sent again, and its text; the budget is then that of this send. */
  get editing(): { pair: string; text: string } | null {
    return this._editing;
  }
  set editing(editing: { pair: string; text: string } | null) {
    this._editing = editing;
    this._emit();
  }

  /** How what would be sent next stands to the model's window. */
  get budget(): IBudgetState {
    return this.sendBudget?.state ?? this.context.at(this.draft.text);
  }

  /**
   * The budget of a pair that is edited, of a paused send that is not the composer's, or of an
   * edited request; null if it is that of the context.
   */
  get sendBudget(): ISendBudget | null {
    if (this._editing) {
      const { pair, text } = this._editing;
      return resendBudget(this.context, pair, text);
    }
    if (this._heldResend) {
      return requestBudget(this.context, this._heldResend);
    }
    return this.requests.edits
      ? requestBudget(this.context, this.requests.live)
      : null;
  }

  /** What went wrong last, in words for the user; null if nothing did. */
  get notice(): string | null {
    return this._notice.text;
  }
  set notice(value: string | null) {
    this._notice.say(value);
  }

  /** What in the document cannot be read. */
  get problems(): IProblem[] {
    return this.about.problems;
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

  /**
   * Send the message being written.
   *
   * The pair is in the document before the server hears of it; a refused message goes back
   * to the composer and its pair goes away. An answer that is lost on the way is asked for
   * again under the same id, so that nothing is sent twice.
   */
  async send(): Promise<void> {
    await this._known();
    this._runs.landEnded();
    if (findPair(this._notebook, this.draft.pair)) {
      // Another page on this chat has sent the message that this id was reserved for.
      this.draft.renew();
    }
    const { pair, text } = this.draft;
    if (!text.trim() || this.busy || this.pause.held) {
      return;
    }
    if (!(await this._hold({ pair, text, at: Date.now(), resend: false }))) {
      await this._send();
    }
  }

  private async _send(agreed = false): Promise<void> {
    if (!agreed && !(await this._agrees(this.requests.live))) {
      return;
    }
    const { pair, text } = this.draft;
    if (!text.trim()) {
      return;
    }
    if (this.busy) {
      this.notice = BUSY;
      return;
    }
    const request = this.requests.live;
    const prepared = this._prepare(request);
    if (!prepared) {
      return;
    }
    const { info } = prepared;
    const cell = pairCell(pair, text, info, this._marks());
    const after = lastCell(this._notebook);
    this._options.file.repeatable(() =>
      ensurePair(this._notebook, cell, after)
    );
    const takeBackEdits = this.requests.leave(pair, request);
    this.draft.clear();
    await this._submit({ ...prepared, pair, cell, after }, () => {
      removeUnsent(this._notebook, pair, info.runId);
      this.draft.restore(pair, text);
      takeBackEdits();
    });
  }

  /**
   * Send an edited message again, with the visible cells above it.
   *
   * What the pair said before is kept as a version.
   */
  async resend(pair: string, text: string): Promise<void> {
    await this._known();
    this._runs.landEnded();
    const cell = findPair(this._notebook, pair);
    if (!cell || !text.trim()) {
      return;
    }
    if (this.busy) {
      this._refused = { pair, text };
      this.notice = BUSY;
      return;
    }
    const held = { pair, text, at: Date.now(), resend: true };
    if (this.pause.held) {
      this._refused = { pair, text };
      this.notice =
        'A send is paused: resume it or cancel it first. The edited text is kept.';
    } else if (!(await this._hold(held))) {
      await this._resend(pair, text);
    }
  }

  private async _resend(
    pair: string,
    text: string,
    agreed = false
  ): Promise<void> {
    if (!agreed && !(await this._agrees(this.requests.resend(pair, text)))) {
      this._refused = { pair, text };
      return;
    }
    const cell = findPair(this._notebook, pair);
    if (!cell) {
      this.notice = 'Nothing was sent: the pair is not in the chat any more.';
      return;
    }
    if (this.busy) {
      this._refused = { pair, text };
      this.notice = BUSY;
      return;
    }
    const edited = this.requests.resend(pair, text);
    const prepared = this._prepare(edited);
    if (!prepared) {
      this._refused = { pair, text };
      return;
    }
    const before = readRunInfo(cell.getMetadata(KEYS.run));
    const info = {
      ...prepared.info,
      attempt: (before?.attempt ?? 0) + 1,
      createdAt: before?.createdAt || prepared.info.createdAt
    };
    const notebook = this._notebook;
    const takeBack = beginResend(notebook, cell, text, info);
    const takeBackEdits = this.requests.leave(pair, edited);
    const request = {
      ...prepared,
      pair,
      cell: cell.toJSON() as ICodeCell,
      after: cellBefore(notebook, pair),
      info,
      resend: true
    };
    await this._submit(request, () => {
      takeBack();
      takeBackEdits();
      this._refused = { pair, text };
    });
  }

  /** Keep in the browser what is not kept yet: the page may go at once. */
  flush(): void {
    this.draft.flush();
    for (const keeping of [this.requests.flush(), this._heldKeeper.flush()]) {
      keeping.catch(error => {
        console.warn('Turnbook: edits of the request cannot be kept', error);
      });
    }
  }

  /** Send the held message, exactly as the Request panel shows it. */
  async resumeSend(): Promise<void> {
    if (this._isResuming) {
      return;
    }
    this._isResuming = true;
    try {
      await this._resumeSend();
    } finally {
      this._isResuming = false;
    }
  }

  private async _resumeSend(): Promise<void> {
    await this._known();
    if (!this.pause.held || this.obstacle || !(await this._permit.mayLeave())) {
      return;
    }
    const { held } = this.pause;
    const draft = this._heldResend ?? this.requests.live;
    if (!held || this.obstacle || !this._prepare(draft)) {
      return;
    }
    if (!(await this._agrees(draft)) || this.pause.held !== held) {
      return;
    }
    this.tell('resume', draft, { kind: 'send' });
    await this.pause.resume();
    if (this.busy && !this.pause.held) {
      // Another tab was faster: it waits on, with its edits.
      await this.pause.putBack(held);
      this.notice = BUSY;
      return;
    }
    if (held.payload) {
      await this._sendPayload(held.pair, held.payload, true);
    } else if (held.round !== undefined) {
      await this._goOn(held.pair, held.round, new Map(), true);
    } else if (held.resend) {
      await this._resend(held.pair, held.text, true);
    } else {
      await this._send(true);
    }
    this._forgetResend();
  }

  /** Take the held message back: into the composer, or into its pair's editor. */
  async cancelSend(): Promise<void> {
    const { held } = this.pause;
    if (!held) {
      return;
    }
    if (held.resend) {
      if (isEditor(held)) {
        this._refused = { pair: held.pair, text: held.text };
      }
      this._forgetResend();
      this.requests.cancelResend(held.pair);
    }
    await this.pause.cancel();
    this._canceled.emit(held);
  }

  /** Tell the server's listeners what happened to a request: counts and hashes, no content. */
  tell(
    name: EventName,
    draft: RequestDraft,
    more: Record<string, unknown> = {}
  ): void {
    const facts = eventFacts(name, draft);
    const chat = facts.chat || 'unsaved';
    this._options.api
      .emitEvent(name, { ...facts, chat, ...more })
      .catch(error => {
        console.warn(`Turnbook: the event ${name} was not taken`, error);
      });
  }

  /**
   * Go on with a turn from one of its tool rounds, with the visible cells above it.
   *
   * @param written - Results that the user wrote and that are not in the document yet.
   */
  async continueTurn(
    pair: string,
    round: number,
    written: Results = new Map()
  ): Promise<void> {
    await this._known();
    this._runs.landEnded();
    const cell = findPair(this._notebook, pair);
    if (!cell) {
      return;
    }
    const isPaused = this.pause.mode !== 'off';
    if (this.busy || this.pause.held || isPaused) {
      this.writeResults(pair, round, written);
    }
    if (this.busy) {
      this.notice = BUSY;
      return;
    }
    if (this.pause.held) {
      this.notice =
        'A send is paused: resume it or cancel it first. The results are kept.';
      return;
    }
    const text = cell.getSource();
    const held = { pair, text, at: Date.now(), resend: true, round };
    if (await this._hold(held)) {
      this.writeResults(pair, round, written);
    } else {
      await this._goOn(pair, round, written);
    }
  }

  private async _goOn(
    pair: string,
    round: number,
    written: Results = new Map(),
    agreed = false
  ): Promise<void> {
    const edited = await this._continuation(pair, round, written);
    const goes = edited && (agreed || (await this._agrees(edited)));
    const prepared = edited && goes ? this._prepare(edited) : null;
    const cell = findPair(this._notebook, pair);
    if (!cell || !edited || !prepared || this.busy) {
      this.writeResults(pair, round, written);
      if (prepared && this.busy) {
        this.notice = BUSY;
      }
      return;
    }
    const before = readRunInfo(cell.getMetadata(KEYS.run));
    const info = {
      ...prepared.info,
      attempt: (before?.attempt ?? 0) + 1,
      createdAt: before?.createdAt || prepared.info.createdAt
    };
    const notebook = this._notebook;
    const takeBack = beginContinue(notebook, cell, round, info, written);
    const takeBackEdits = this.requests.leave(pair, edited);
    const request = {
      ...prepared,
      pair,
      cell: cell.toJSON() as ICodeCell,
      after: cellBefore(notebook, pair),
      info,
      resend: true
    };
    await this._submit(request, () => {
      takeBack();
      takeBackEdits();
    });
  }

  /** The request of a turn that goes on from a round; null if it cannot be made, and the user was told why. */
  private async _continuation(
    pair: string,
    round: number,
    written: Results,
    state?: Uint8Array
  ): Promise<RequestDraft | null> {
    const cell = findPair(this._notebook, pair);
    if (!cell) {
      this.notice = 'Nothing was sent: the pair is not in the chat any more.';
      return null;
    }
    const before = readRunInfo(cell.getMetadata(KEYS.run));
    let frame: PartialJSONObject | null;
    try {
      frame = await this._host.frameOf(before?.runId);
    } catch (error) {
      this.notice = `Nothing was sent: ${errorWords(error)}`;
      return null;
    }
    const said: ContextCell = {
      kind: 'pair',
      id: pair,
      user: cell.getSource(),
      rounds: roundsUpTo(cell.getOutputs(), round, written),
      reply: '',
      state: 'idle'
    };
    const counted = cellMessages(said).map(countedText).join('');
    const context = this.context.gather(counted, pair);
    const whole = continuedContext(context, said);
    return this.requests.goOn(pair, whole, frame, state);
  }

  /** Write down results of tools; nothing is sent. */
  writeResults(pair: string, round: number, written: Results): void {
    const cell = findPair(this._notebook, pair);
    if (cell && writeResults(cell, round, written)) {
      this._options.file.autosave();
    }
  }

  /** Take a round of tool calls out of a pair; it is kept as a version. */
  removeRound(pair: string, round: number): void {
    const cell = findPair(this._notebook, pair);
    if (cell && !this.busy) {
      removeRound(this._notebook, cell, round);
      this._options.file.autosave();
    }
  }

  /**
   * Send a request as its bytes are, for a chat that was started from it: the reply goes to the
   * last pair, or to a new one if that has a reply.
   */
  async sendPayload(
    body: string,
    marks: IPayload['marks'] = {}
  ): Promise<void> {
    await this._known();
    if (this.busy) {
      this.notice = BUSY;
      return;
    }
    if (this.pause.held) {
      this.notice = 'A send is paused: resume it or cancel it first.';
      return;
    }
    const last = findPair(this._notebook, lastCell(this._notebook) ?? '');
    const waiting = last?.getOutputs().length ? null : last;
    const pair = waiting?.getId() ?? UUID.uuid4();
    const text = waiting?.getSource() ?? '';
    const payload = { body, marks };
    const held = { pair, text, at: Date.now(), resend: true, payload };
    if (!(await this._hold(held))) {
      await this._sendPayload(pair, payload);
    }
  }

  private async _sendPayload(
    pair: string,
    payload: IPayload,
    agreed = false
  ): Promise<void> {
    const notebook = this._notebook;
    if (findPair(notebook, pair)?.getOutputs().length) {
      this.notice = 'Nothing was sent: the pair has a reply by now.';
      return;
    }
    const draft = this._exact(pair, payload);
    if (!agreed && !(await this._agrees(draft))) {
      return;
    }
    if (this.busy) {
      this.notice = BUSY;
      return;
    }
    const prepared = this._prepare(draft);
    if (!prepared) {
      return;
    }
    const { edited } = prepared.info;
    const info = {
      ...prepared.info,
      ...payload.marks,
      ...(edited ? { edited } : {})
    };
    const waiting = findPair(notebook, pair);
    const after = waiting ? cellBefore(notebook, pair) : lastCell(notebook);
    if (waiting) {
      notebook.transact(() => {
        waiting.setMetadata(KEYS.run, info as unknown as PartialJSONObject);
      }, false);
    } else {
      ensurePair(notebook, pairCell(pair, '', info), after);
    }
    const cell = findPair(notebook, pair)!.toJSON() as ICodeCell;
    const takeBackEdits = this.requests.leave(pair, draft);
    const request = { ...prepared, info, pair, cell, after };
    await this._submit({ ...request, isOld: waiting !== null }, () => {
      if (waiting) {
        notebook.transact(() => waiting.deleteMetadata(KEYS.run), false);
      } else {
        removeUnsent(notebook, pair, info.runId);
      }
      takeBackEdits();
    });
  }

  /** The request of a payload, with the cells that its messages come from. */
  private _exact(
    pair: string,
    { body }: IPayload,
    state?: Uint8Array
  ): RequestDraft {
    const { messages, sections } = this.context.gather('');
    const base = baseFromBody(body, {
      chatId: this.info?.chatId ?? '',
      pair,
      provider: splitModel(this.model).provider,
      source: 'record',
      cells: { messages: messages.slice(0, -1), sections },
      debugName: this._host.debugName(pair)
    });
    return this.requests.exact(base, state);
  }

  /** Keep an edited text whose editor went away, for when the pair is edited again. */
  keepRefused(pair: string, text: string): void {
    this._refused = { pair, text };
  }

  /** The edited text of a pair that could not be sent again, for another try. */
  takeRefused(pair: string): string | null {
    if (this._refused?.pair !== pair) {
      return null;
    }
    const { text } = this._refused;
    this._refused = null;
    return text;
  }

  /**
   * Delete a pair; Ctrl+Z brings it back, with its reply.
   *
   * A run that is alive is stopped, and the journal keeps what it brought.
   */
  async deletePair(pair: string): Promise<void> {
    const notebook = this._notebook;
    const index = notebook.cells.findIndex(cell => cell.getId() === pair);
    if (index === -1) {
      return;
    }
    const cell = findPair(notebook, pair);
    const info = cell && readRunInfo(cell.getMetadata(KEYS.run));
    notebook.deleteCell(index);
    if (!notebook.cells.length) {
      // JupyterLab would add a cell by itself, as a step to undo that comes back for ever.
      notebook.transact(() => {
        notebook.insertCell(0, { cell_type: 'code', source: '', metadata: {} });
      }, false);
    }
    const live = this._runs.drop(pair);
    if (this._posting?.pair === pair) {
      this._pending = null;
      this._givenUp = true;
      this._wake?.();
      return;
    }
    const run = live?.id ?? info?.runId;
    if (!run) {
      return;
    }
    const { _claims: claims } = this;
    try {
      if (live && isAlive(live)) {
        await claims.stop(run);
      }
      if (!findPair(notebook, pair)) {
        await claims.drop(run);
      }
      if (findPair(notebook, pair)) {
        // Undone while the server was told of it: the last word is that the pair stays.
        const back = await claims.drop(run, false);
        if (live) {
          this._runs.follow(back);
        }
      }
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) {
        this.notice = `The server could not be told of the deletion: ${errorWords(error)}`;
      }
    }
  }

  /** Give a run of a deleted pair back to the document. */
  async recover(run: IRun): Promise<void> {
    try {
      this._runs.undrop(run);
      const back = await this._claims.drop(run.id, false);
      this._runs.follow({ ...back, dropped: false, landed: false });
    } catch (error) {
      this.notice = `The reply could not be brought back: ${errorWords(error)}`;
    }
  }

  /** The runs whose replies the document has, also of other chats. */
  get landedRuns(): ReadonlySet<string> {
    return landedRuns(this._notebook);
  }

  /** Take over the pair of a chat whose file is gone, at the end of this one. */
  async adopt({ run, text }: { run: IRun; text: string }): Promise<void> {
    await this.ready;
    this.about.ensure();
    const after = lastCell(this._notebook);
    await this._runs.adopt({ run: { ...run, dropped: false, after }, text });
    // The user gives this chat what was another's.
    await this._options.api.landRun(run.chat, run.id);
  }

  /** Stop the reply that is under way, or the waiting for a next attempt. What arrived stays. */
  async stop(): Promise<void> {
    const run = this.busy;
    const { waiting } = this._runs;
    if (!run) {
      return waiting ? this.stopAutoRetry(waiting.pair) : undefined;
    }
    if (this._posting) {
      this._givenUp = true;
      this._wake?.();
      return;
    }
    try {
      const stopped = await this._claims.stop(run.id);
      this._runs.live(run.pair)?.update(stopped);
    } catch (error) {
      this.notice = `The reply could not be stopped: ${errorWords(error)}`;
    }
  }

  /**
   * Make one more attempt at a pair's reply.
   *
   * A pair that this server has no record of is sent again with what is visible above it, since
   * there are no bytes to repeat.
   */
  async retry(pair: string): Promise<void> {
    await this.ready;
    const info = this.info;
    const cell = findPair(this._notebook, pair);
    if (!info || !cell || this.busy) {
      return;
    }
    try {
      const { run } = await this._claims.retry(pair, { now: true });
      this._own.add(run.id);
      this._runs.follow(run);
      this.notice = null;
    } catch (error) {
      const isKnown = this.entry.chatId !== null;
      if (isKnown && error instanceof ApiError && error.status === 404) {
        await this.resend(pair, cell.getSource());
      } else {
        this.notice = `No new attempt was made: ${errorWords(error)}`;
      }
    }
  }

  /** Let the server make no further attempt at a pair's reply by itself. */
  async stopAutoRetry(pair: string): Promise<void> {
    try {
      const { run } = await this._claims.retry(pair, { auto: false });
      this._runs.learn(run);
    } catch (error) {
      this.notice = `Auto-retry could not be stopped: ${errorWords(error)}`;
    }
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    const { catalog, settings } = this._options;
    catalog.changed.disconnect(this._onCatalog, this);
    settings.changed.disconnect(this._onSettings, this);
    this._permit.dispose();
    this.pause.dispose();
    this.rules.dispose();
    this._lost.dispose();
    this._outbox.dispose();
    void this._heldKeeper.flush();
    this.requests.dispose();
    this.context.dispose();
    this._runs.dispose();
    this.entry.dispose();
    this.draft.dispose();
    Signal.clearData(this);
  }

  /** The user has given the chat these options. */
  setOptions(options: IFrameEntry): void {
    this.about.writeOptions(options);
  }

  /** Whether a request may go as it is; asks the user who wants to be asked. */
  private async _agrees(draft: RequestDraft): Promise<boolean> {
    const { confirm } = this._options;
    return !confirm || confirm(requestBudget(this.context, draft).state);
  }

  /** Wait for all that decides what a request says: a send before that would be another one. */
  private async _known(): Promise<void> {
    const { catalog, settings } = this._options;
    await Promise.all([this.ready, catalog.known(), settings.ready]);
    await this.context.counted;
  }

  private get _notebook(): ISharedNotebook {
    return this._options.context.model.sharedModel;
  }

  private async _open(): Promise<void> {
    if (this._isDisposed) {
      return;
    }
    this.about.opened();
    this._takeModes();
    const info = this.info;
    if (info) {
      this._opened = this._register(info);
      await this._opened;
    } else {
      await this._openByPath();
    }
    this._emit();
  }

  /** Tell the server where this chat is, and follow its runs. */
  private async _register(info: IChatInfo, more: IOpening = {}): Promise<void> {
    const known = new PromiseDelegate<void>();
    this._runs.watch(info.chatId, known.promise);
    let opened: IChatInfo | null = null;
    try {
      opened = await this.entry.open(info, more);
      if (this._notice.text?.startsWith(UNTOLD)) {
        this._notice.text = null;
      }
    } catch (error) {
      this._notice.text = `${UNTOLD}: ${errorWords(error)}`;
    }
    if (this._isDisposed) {
      return;
    }
    if (!opened) {
      // As long as it is not known which chat this is, it has nothing of that chat's.
      await this._openByPath();
      this._emit();
      return;
    }
    const { chatId } = opened;
    this.about.renamed(info.chatId, chatId);
    if (chatId !== info.chatId) {
      this._runs.watch(chatId, known.promise);
    }
    this.draft.open(chatId);
    this.news.open(chatId);
    this._outbox.open(chatId);
    known.resolve();
    await this._openRequests(chatId);
    this._emit();
  }

  /** Keep drafts and edits under the file's path; no chat's id looks like that. */
  private async _openByPath(): Promise<void> {
    const name = `path:${this._options.context.path}`;
    this.draft.open(name);
    this._outbox.open(name);
    void this._lost.check();
    await this._openRequests(name);
  }

  private async _openRequests(name: string): Promise<void> {
    try {
      await this.pause.open(name);
      await this.rules.open(name);
      await this._openHeld(name);
      await this.requests.open(name);
    } catch (error) {
      this._notice.text = `Edits of the request would not survive a reload: ${errorWords(error)}`;
    }
  }

  private _onSource(): void {
    this.requests.refresh();
    const { held } = this.pause;
    if (held && this._heldResend && !held.payload) {
      this.requests.resend(held.pair, held.text);
    }
  }

  /** Stop a message that may not leave, or for review if the user wants that; answers whether it waits. */
  private async _hold(message: IHeld): Promise<boolean> {
    if (!(await this._permit.mayLeave())) {
      if (isEditor(message)) {
        this._refused = { pair: message.pair, text: message.text };
      }
      return true;
    }
    if (!this._options.settings.current['requestEditor.enabled']) {
      return false;
    }
    try {
      if (!(await this.pause.hold(message))) {
        return false;
      }
    } catch (error) {
      this.notice = `The paused message would not survive a reload: ${errorWords(error)}`;
    }
    if (message.resend && !(await this._reviewResend(message))) {
      await this.pause.cancel();
      return true;
    }
    this.requests.target = LIVE;
    const draft = this._heldResend ?? this.requests.live;
    draft.takeVersion('pause');
    this.tell('intercept', draft);
    this._held.emit(message);
    await this.requests.flush();
    return true;
  }

  private async _reviewResend(
    message: IHeld,
    state?: Uint8Array
  ): Promise<boolean> {
    const { pair, text, round, payload } = message;
    const draft = payload
      ? this._exact(pair, payload, state)
      : round === undefined
        ? this.requests.resend(pair, text, state)
        : await this._continuation(pair, round, new Map(), state);
    this._heldResend = draft;
    draft?.changed.connect(this._onHeldChanged, this);
    this._emit();
    return draft !== null;
  }

  private _onHeldChanged(draft: RequestDraft): void {
    this._heldKeeper.keep(draft);
    this._emit();
  }

  private _forgetResend(): void {
    this._heldResend?.changed.disconnect(this._onHeldChanged, this);
    this._heldResend = null;
    this._emit();
    void this._heldKeeper.clear();
  }

  /** A pair that was to be sent again when the page went away waits again, with its edits. */
  private async _openHeld(name: string): Promise<void> {
    const { held } = this.pause;
    const state = await this._heldKeeper.open(
      `held:${name}`,
      () => held?.pair ?? ''
    );
    if (held?.resend && !this._heldResend) {
      await this._reviewResend(held, state ?? undefined);
    }
  }

  private _onRules(): void {
    const { current } = this._options.settings;
    // What cannot be seen must not be applied.
    this.requests.autoApply = current['requestEditor.enabled']
      ? this.rules.inForce
      : [];
    this._emit();
  }

  /** What the settings say of chats in which the user did not choose. */
  private _takeModes(): void {
    // Nothing that a file says of itself counts here: where it comes from is written in it.
    const { pauseAndReview, autoApply } = this._options.settings.current;
    this.pause.fallback = pauseAndReview ? 'always' : 'off';
    this.rules.fallback = autoApply;
  }

  private _onMismatch(_: unknown, found: { pair: string }): void {
    this.notice =
      'The bytes that left are not those that this page made. Show request has what was sent.';
    console.warn('Turnbook: hashes of a request differ', found);
  }

  private _marks(): { topic?: string } {
    return this.topic ? { topic: this.topic } : {};
  }

  private async _post(request: INewRun): Promise<IRun> {
    this._givenUp = false;
    for (let attempt = 0; ; attempt++) {
      try {
        const run = await this._options.api.createRun(request);
        return this._givenUp ? await this._claims.stop(run.id) : run;
      } catch (error) {
        if (!(error instanceof ServerConnection.NetworkError)) {
          throw error;
        }
        this.notice =
          'The Jupyter server does not answer. The message is sent when it does; Stop takes it back.';
        await this._pause(reconnectDelay(attempt, Math.random()));
        if (this._givenUp || this._isDisposed) {
          throw error;
        }
        if (this._outbox.wasTaken) {
          throw new Error('Another tab has it in its composer.');
        }
        this._notice.text = null;
      }
    }
  }

  private _pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms);
      this._wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** The bytes and the record of a request; null when it cannot be sent. */
  private _prepare(draft: RequestDraft): IPrepared | null {
    const { base, frame, body, hash, sections } = draft.request;
    const wrong = refusal(draft.request);
    if (wrong) {
      this.notice = `Nothing was sent: ${wrong.message}`;
      return null;
    }
    if (this.about.asks) {
      // The file was changed from elsewhere while the user was asked about something else.
      this.notice =
        'Nothing was sent: the model or the options of this chat have changed. Send again.';
      return null;
    }
    const now = Date.now();
    const order = this._notebook.cells.map(cell => cell.getId());
    const sent = sections
      .filter(({ deleted, conflict }) => !deleted && conflict !== 'hidden')
      .flatMap(({ cell }) => (cell && cell !== base.pair ? [cell] : []));
    const options = notableOptions(frame);
    return {
      provider: base.provider,
      body,
      edited: draft.request,
      draft: countsForEvents(draft),
      info: {
        state: 'sending',
        model: `${base.provider}/${String(frame.model)}`,
        ...(Object.keys(options).length ? { options } : {}),
        createdAt: now,
        updatedAt: now,
        runId: UUID.uuid4(),
        attempt: 1,
        context: idRanges([...new Set(sent)], order),
        requestHash: hash,
        ...sendMarks(draft, message => this.context.tokensOf(message))
      }
    };
  }

  /** Have a request sent; `takeBack` undoes what the document shows of it if it is refused. */
  private async _submit(
    request: IPrepared &
      Pick<INewRun, 'pair' | 'cell' | 'after' | 'resend'> & {
        /** Whether the pair was there before, and stays. */
        isOld?: boolean;
      },
    takeBack: () => void
  ): Promise<void> {
    const { info, pair, cell, after, resend = false } = request;
    const { isOld = resend } = request;
    const chat = this.about.ensure().chatId;
    this._notice.text = null;
    this._lastSent = pair;
    this._posting = pendingRun(chat, pair, info);
    this._pending = { cell, after };
    this._own.add(info.runId);
    this._outbox.put({
      pair,
      text: [cell.source].flat().join(''),
      runId: info.runId,
      at: Date.now(),
      resend: isOld
    });
    this._sent.emit(pair);
    this._emit();
    try {
      await this._opened;
      // A copy has another id by now, and an id that is not confirmed may be that of another file.
      const confirmed = this.entry.chatId;
      if (confirmed === null) {
        throw new Error(
          'The server does not know this file yet; try again in a moment.'
        );
      }
      const run = await this._post({
        id: info.runId,
        chat: confirmed,
        pair,
        cell,
        after,
        provider: request.provider,
        body: request.body,
        requestHash: info.requestHash,
        draft: request.draft,
        resend,
        autoRetry: this._options.settings.current.autoRetry
      });
      this.requests.heard(run, info.requestHash);
      this.rules.keepSent(request.edited);
      if (findPair(this._notebook, pair)) {
        this._runs.follow(run);
      } else {
        // Deleted on its way: the journal keeps what came, and nothing brings it back by itself.
        await this._claims.drop(run.id);
      }
    } catch (error) {
      takeBack();
      this._notice.text = refusedWords(error);
    } finally {
      this._outbox.take(info.runId);
      this._outbox.rest();
      this._posting = null;
      this._pending = null;
      this._emit();
    }
  }

  /** The file was read again, and cannot have a pair that the server does not know of yet. */
  private _onReread(): void {
    const { _pending: pending } = this;
    if (pending) {
      this._options.file.repeatable(() =>
        ensurePair(this._notebook, pending.cell, pending.after)
      );
    }
  }

  private _onPairChanged(_: RunFollower, pair: string): void {
    if (pair === '') {
      // The journal has been read: it is known what arrived and what did not.
      void this._lost.check();
    }
  }

  /** A message of a page that went away before the server had it. */
  private _giveBack({ pair, text, runId, resend }: IHeldMessage): void {
    if (resend) {
      markUnsent(this._notebook, pair, runId);
      return;
    }
    removeUnsent(this._notebook, pair, runId);
    this.draft.restore(pair, text);
    this.notice =
      'This message had not reached the server when the page went away. It is back in the composer.';
  }

  private _onCatalog(): void {
    this.context.update();
    this.requests.refresh();
    this._emit();
  }

  private _onSettings(): void {
    this._takeModes();
    this._onRules();
    this._onCatalog();
  }

  private _onPathChanged(): void {
    this.about.moved();
  }

  private _emit(): void {
    if (!this._isDisposed) {
      this._changed.emit();
    }
  }

  private _canceled = new Signal<this, IHeld>(this);
  private _changed = new Signal<this, void>(this);
  private _editing: { pair: string; text: string } | null = null;
  private _givenUp = false;
  private _held = new Signal<this, IHeld>(this);
  private _heldKeeper: DraftKeeper;
  private _heldResend: RequestDraft | null = null;
  private _isDisposed = false;
  private _isResuming = false;
  private _lastSent: string | null = null;
  private _lost: LostMessages;
  private _host: RequestHost;
  private _notice = new Notice();
  private _permit: FilePermit;
  private _claims: RunClaims;
  private _outbox: Outbox;
  private _opened: Promise<void> = Promise.resolve();
  private _options: ChatSession.IOptions;
  private _own: OwnRuns;
  /** The pair of the request that has no answer from the server yet, unless it was deleted. */
  private _pending: Pick<INewRun, 'cell' | 'after'> | null = null;
  private _posting: IRun | null = null;
  private _runs: RunFollower;
  private _sent = new Signal<this, string>(this);
  private _refused: { pair: string; text: string } | null = null;
  private _wake: (() => void) | null = null;
}

/**
 * The namespace for `ChatSession` statics.
 */
export namespace ChatSession {
  /** What a chat needs. */
  export interface IOptions {
    context: DocumentRegistry.IContext<INotebookModel>;
    file: ChatFile;
    api: TurnbookAPI;
    socket: RunSocket;
    catalog: ModelCatalog;
    storage: Outbox.IStorage;
    /** The runs that this tab began. */
    own: OwnRuns;
    /** Where edits of requests are kept until they are sent. */
    requestStorage: IRequestStorage;
    /** The rules of Auto-apply that hold in all chats. */
    sharedRules: SharedRules;
    settings: ChatSettings;
    ask: FilePermit.IOptions['ask'];
    /** Asks whether a request with this budget may be sent. */
    confirm?: (budget: IBudgetState) => Promise<boolean>;
  }
}

interface IPrepared extends Pick<INewRun, 'draft'> {
  info: IRunInfo;
  provider: string;
  body: string;
  /** The request as it leaves. */
  edited: IEditedRequest;
}

/** The run before the server has claimed it. */
function pendingRun(chat: string, pair: string, info: IRunInfo): IRun {
  const { provider, model } = splitModel(info.model);
  return {
    id: info.runId,
    chat,
    pair,
    attempt: info.attempt,
    provider,
    model,
    state: 'claimed',
    hash: info.requestHash,
    createdAt: info.createdAt,
    updatedAt: info.updatedAt
  } as IRun;
}

function refusedWords(error: unknown): string {
  if (error instanceof ApiError && error.code === 'chat-busy') {
    return BUSY;
  }
  return `Nothing was sent: ${errorWords(error)}`;
}
