import type { ISharedCodeCell, ISharedNotebook } from '@jupyter/ydoc';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { ICodeCell } from '@jupyterlab/nbformat';
import type { INotebookModel } from '@jupyterlab/notebook';
import { ServerConnection } from '@jupyterlab/services';
import {
  UUID,
  type PartialJSONObject,
  type PartialJSONValue
} from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import {
  idRanges,
  modelWindow,
  softCap,
  type IBudgetState,
  type IContext
} from '../context';
import {
  currentVersion,
  ensurePair,
  findPair,
  FORMAT,
  isUnderWay,
  KEYS,
  land,
  landedRuns,
  lastCell,
  outputRunId,
  pairCell,
  problems,
  readChatInfo,
  readReply,
  readRunInfo,
  restoreVersion,
  saveVersion,
  TOOL_MIME,
  versionsOf,
  type IChatInfo,
  type ILanding,
  type IProblem,
  type IRunInfo
} from '../document';
import type { ModelCatalog } from '../providers/catalog';
import { bodyHash, render, splitModel } from '../request/render';
import {
  ApiError,
  isAlive,
  LiveRun,
  reconnectDelay,
  type INewRun,
  type IRun,
  type RunSocket,
  type TurnbookAPI
} from '../runs';
import { ContextModel } from './contextmodel';
import { Draft } from './draft';
import { NewReplies } from './newreplies';
import { Outbox, OwnRuns } from './outbox';
import type { ChatSettings } from './settings';

/** How long a page waits for the page that sent a message to save its reply. */
const SENDER_GRACE_MS = 3000;

/** After a change, how long to wait before replies that landed twice are tidied up. */
const TIDY_MS = 500;

/** How long another tab may take to send a message before this one takes it for lost. */
const OUTBOX_MS = 60_000;

/** How many of this page's landings are looked after. */
const KEPT_LANDINGS = 8;

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
    this._own = new OwnRuns(options.tabStorage);
    this.context = new ContextModel({
      notebook: context.model.sharedModel,
      limits: this._limits(),
      estimator: options.settings.estimator,
      sentinel: options.settings.current.interruptedSentinel,
      isNew: id => this.news.has(id)
    });
    this.ready = context.ready.then(() => this._open());
    context.pathChanged.connect(this._onPathChanged, this);
    context.model.stateChanged.connect(this._onModelState, this);
    context.model.contentChanged.connect(this._onContentChanged, this);
    context.saveState.connect(this._onSaveState, this);
    options.catalog.changed.connect(this._onCatalog, this);
    options.settings.changed.connect(this._onSettings, this);
  }

  /** What is visible, what fits, and what a message would take with it. */
  readonly context: ContextModel;

  /** The message being written. */
  readonly draft: Draft;

  /** The replies that were not looked at. */
  readonly news: NewReplies;

  /** Resolves when the document is read and the server was told of the chat. */
  readonly ready: Promise<void>;

  /** Emitted when anything a composer shows changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Emitted when a pair is followed or no longer; its cell shows it. */
  get pairChanged(): ISignal<this, string> {
    return this._pairChanged;
  }

  /** Emitted with a pair of this page that is on its way, once its cell is there. */
  get sent(): ISignal<this, string> {
    return this._sent;
  }

  /** Emitted with the pair whose reply has just landed, however it ended. */
  get landed(): ISignal<this, string> {
    return this._landed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** What the notebook says of itself. */
  get info(): IChatInfo | null {
    return readChatInfo(this._notebook.getMetadata(KEYS.notebook));
  }

  /** The run of this chat that is under way, from whatever page. The send lock is that it exists. */
  get busy(): IRun | null {
    if (this._posting) {
      return this._posting;
    }
    for (const live of this._live.values()) {
      if (!live.hasEnded) {
        return live.run;
      }
    }
    return null;
  }

  /** Whether the server has told which runs of this chat are open. */
  get journalRead(): boolean {
    return this._journalRead;
  }

  /** The model that the next message goes to, as `provider/model`. */
  get model(): string {
    return (
      this.info?.model ??
      this._model ??
      this._options.catalog.list?.default ??
      ''
    );
  }
  set model(value: string) {
    this._model = value;
    const info = this.info;
    if (info && info.model !== value) {
      this._setInfo({ ...info, model: value });
    }
    this._onCatalog();
  }

  /** The topic that new pairs get; empty for none. */
  get topic(): string {
    return this.info?.topic ?? this._topic;
  }
  set topic(value: string) {
    this._topic = value;
    const info = this.info;
    if (info && (info.topic ?? '') !== value) {
      this._setInfo({ ...info, topic: value });
    }
    this._emit();
  }

  /** How the message being written stands to the model's window. */
  get budget(): IBudgetState {
    return this.context.at(this.draft.text);
  }

  /** What went wrong last, in words for the user; null if nothing did. */
  get notice(): string | null {
    return this._notice;
  }
  set notice(value: string | null) {
    this._notice = value;
    this._emit();
  }

  /** What in the document cannot be read. */
  get problems(): IProblem[] {
    return this._problems;
  }

  /** The run that a pair's cell should show as it streams. */
  live(pair: string): LiveRun | null {
    return this._live.get(pair) ?? null;
  }

  /**
   * Send the message being written.
   *
   * The pair is in the document before the server hears of it; a refused message goes back
   * to the composer and its pair goes away. An answer that is lost on the way is asked for
   * again under the same id, so that nothing is sent twice.
   */
  async send(): Promise<void> {
    // A document that is still being read has neither its id nor its cells.
    await this.ready;
    this._landEnded();
    if (findPair(this._notebook, this.draft.pair)) {
      // Another page on this chat has sent the message that this id was reserved for.
      this.draft.renew();
    }
    const { pair, text } = this.draft;
    if (!text.trim() || this.busy) {
      return;
    }
    const prepared = this._prepare(this.context.gather(text));
    if (!prepared) {
      return;
    }
    const { info, provider, body } = prepared;
    const cell = pairCell(pair, text, info, this._marks());
    const after = lastCell(this._notebook);
    ensurePair(this._notebook, cell, after);
    this.draft.clear();
    await this._submit({ pair, cell, after, provider, body, info }, () => {
      this._remove(pair, info.runId);
      this.draft.restore(pair, text);
    });
  }

  /**
   * Send an edited message again, with the visible cells above it.
   *
   * What the pair said before is kept as a version.
   */
  async resend(pair: string, text: string): Promise<void> {
    await this.ready;
    this._landEnded();
    const cell = findPair(this._notebook, pair);
    if (!cell || !text.trim() || this.busy) {
      return;
    }
    const prepared = this._prepare(this.context.gather(text, pair));
    if (!prepared) {
      return;
    }
    const { provider, body } = prepared;
    const before = readRunInfo(cell.getMetadata(KEYS.run));
    const info = {
      ...prepared.info,
      attempt: (before?.attempt ?? 0) + 1,
      createdAt: before?.createdAt || prepared.info.createdAt
    };
    const version = currentVersion(cell);
    const notebook = this._notebook;
    const replies = replyPlaces(cell);
    saveVersion(notebook, cell, version);
    notebook.transact(() => {
      cell.deleteMetadata('trusted');
      cell.deleteMetadata(KEYS.messages);
      cell.setSource(text);
      replies.forEach(place => cell.updateOutputs(place, place + 1, []));
      cell.setMetadata(KEYS.run, info as unknown as PartialJSONObject);
    }, false);
    const request = {
      pair,
      cell: cell.toJSON() as ICodeCell,
      after: cellBefore(notebook, pair),
      provider,
      body,
      info,
      resend: true
    };
    await this._submit(request, () => {
      const last = versionsOf(cell).length - 1;
      cell.setMetadata(KEYS.run, {
        ...(info as unknown as PartialJSONObject),
        state: 'idle'
      });
      if (version && restoreVersion(notebook, cell, last)) {
        dropLastVersion(notebook, cell);
      }
      this._refused = { pair, text };
    });
  }

  /** The edited text of a pair that could not be sent again, for another try. */
  takeRefused(pair: string): string | null {
    const refused = this._refused?.pair === pair ? this._refused.text : null;
    this._refused = null;
    return refused;
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
    const live = this._live.get(pair);
    const run = live?.run.id ?? info?.runId;
    this._deleted.add(pair);
    notebook.deleteCell(index);
    if (live) {
      this._release(live);
    }
    if (!run) {
      return;
    }
    const { api } = this._options;
    try {
      if (live && isAlive(live.run)) {
        await api.stopRun(run);
      }
      await api.dropRun(run);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) {
        this.notice = `The server could not be told of the deletion: ${words(error)}`;
      }
    }
  }

  /** Give a run of a deleted pair back to the document. */
  async recover(run: IRun): Promise<void> {
    try {
      this._deleted.delete(run.pair);
      const back = await this._options.api.dropRun(run.id, false);
      this._follow({ ...back, dropped: false, landed: false });
    } catch (error) {
      this.notice = `The reply could not be brought back: ${words(error)}`;
    }
  }

  /** Stop the reply that is under way. What arrived of it stays. */
  async stop(): Promise<void> {
    const run = this.busy;
    if (!run) {
      return;
    }
    if (this._posting) {
      this._givenUp = true;
      this._wake?.();
      return;
    }
    try {
      this._live.get(run.pair)?.update(await this._options.api.stopRun(run.id));
    } catch (error) {
      this.notice = `The reply could not be stopped: ${words(error)}`;
    }
  }

  /** Make one more attempt at a pair's reply. */
  async retry(pair: string): Promise<void> {
    await this.ready;
    const info = this.info;
    if (!info || this.busy) {
      return;
    }
    try {
      const { run } = await this._options.api.retryTurn(info.chatId, pair, {
        now: true
      });
      this._own.add(run.id);
      this._follow(run);
      this.notice = null;
    } catch (error) {
      this.notice = `No new attempt was made: ${words(error)}`;
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
    this.context.dispose();
    this._watch?.dispose();
    clearTimeout(this._tidying);
    for (const live of this._live.values()) {
      live.dispose();
    }
    this._live.clear();
    this.draft.dispose();
    Signal.clearData(this);
  }

  private get _notebook(): ISharedNotebook {
    return this._options.context.model.sharedModel;
  }

  private async _open(): Promise<void> {
    if (this._isDisposed) {
      return;
    }
    this._problems = problems(
      this._notebook.getMetadata(KEYS.notebook),
      this._notebook.cells.map(cell => ({
        id: cell.getId(),
        run: cell.getMetadata(KEYS.run),
        marks: cell.getMetadata(KEYS.marks)
      }))
    );
    const info = this.info;
    if (info) {
      this._opened = this._register(info);
      await this._opened;
    } else {
      this.draft.open(this._options.context.path);
    }
    this._emit();
  }

  /** Tell the server where this chat is, and follow its runs. */
  private async _register(info: IChatInfo): Promise<void> {
    const { api, context } = this._options;
    try {
      const chat = await api.openChat(info.chatId, context.localPath);
      if (chat.status === 'copy') {
        info = {
          ...info,
          chatId: chat.chatId,
          lineage: {
            ...info.lineage,
            ...(chat.copiedFrom ? { copiedFrom: chat.copiedFrom } : {})
          }
        };
        this._setInfo(info);
      }
    } catch (error) {
      this._notice = `The server could not be told of this chat: ${words(error)}`;
    }
    if (this._isDisposed) {
      return;
    }
    this.draft.open(info.chatId);
    this.news.open(info.chatId);
    this._outbox.open(info.chatId);
    this._watch?.dispose();
    this._watch = this._options.socket.watch(info.chatId, {
      onRuns: runs => this._onRuns(runs),
      onChanged: run => this._onChanged(run)
    });
  }

  private _ensureInfo(): IChatInfo {
    let info = this.info;
    if (!info) {
      info = {
        format: FORMAT,
        chatId: UUID.uuid4(),
        model: this.model,
        ...(this._topic ? { topic: this._topic } : {})
      };
      this._setInfo(info);
      this._opened = this._register(info);
    } else if (!info.model) {
      info = { ...info, model: this.model };
      this._setInfo(info);
    }
    return info;
  }

  private _setInfo(info: IChatInfo): void {
    const notebook = this._notebook;
    const before = notebook.getMetadata(KEYS.notebook) as
      PartialJSONObject | undefined;
    notebook.transact(() => {
      // What a newer version wrote beside our keys stays.
      notebook.setMetadata(KEYS.notebook, {
        ...(before ?? {}),
        ...(info as unknown as PartialJSONObject)
      });
    }, false);
  }

  private _marks(): { topic?: string } {
    return this.topic ? { topic: this.topic } : {};
  }

  private async _post(request: INewRun): Promise<IRun> {
    this._givenUp = false;
    for (let attempt = 0; ; attempt++) {
      try {
        const run = await this._options.api.createRun(request);
        return this._givenUp ? await this._options.api.stopRun(run.id) : run;
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
        this._notice = null;
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

  /** A message that was not sent: its pair goes, if it is the one that this run was to answer. */
  private _remove(pair: string, runId: string): void {
    const notebook = this._notebook;
    const index = notebook.cells.findIndex(
      cell =>
        cell.getId() === pair &&
        readRunInfo(cell.getMetadata(KEYS.run))?.runId === runId
    );
    if (index !== -1) {
      notebook.transact(() => notebook.deleteCell(index), false);
    }
  }

  /** The bytes and the record of a request; null when there is no model to ask. */
  private _prepare(context: IContext): IPrepared | null {
    const { provider, model } = splitModel(this.model);
    if (!model) {
      this.notice =
        'Choose a model first, or add a provider in the model menu.';
      return null;
    }
    const body = render(model, context.messages);
    const now = Date.now();
    const order = this._notebook.cells.map(cell => cell.getId());
    return {
      provider,
      body,
      info: {
        state: 'sending',
        model: `${provider}/${model}`,
        createdAt: now,
        updatedAt: now,
        runId: UUID.uuid4(),
        attempt: 1,
        context: idRanges(context.cells, order),
        requestHash: bodyHash(body)
      }
    };
  }

  /** Have a request sent; `takeBack` undoes what the document shows of it if it is refused. */
  private async _submit(
    request: IPrepared & Pick<INewRun, 'pair' | 'cell' | 'after' | 'resend'>,
    takeBack: () => void
  ): Promise<void> {
    const { info, pair, cell, after, provider, body, resend = false } = request;
    const chat = this._ensureInfo().chatId;
    this._notice = null;
    this._posting = pendingRun(chat, pair, info);
    this._own.add(info.runId);
    this._outbox.put({
      pair,
      text: [cell.source].flat().join(''),
      runId: info.runId,
      at: Date.now()
    });
    this._sent.emit(pair);
    this._emit();
    try {
      await this._opened;
      this._follow(
        await this._post({
          id: info.runId,
          chat,
          pair,
          cell,
          after,
          provider,
          body,
          resend
        })
      );
    } catch (error) {
      takeBack();
      this._notice = refusal(error);
    } finally {
      this._outbox.clear();
      this._posting = null;
      this._emit();
    }
  }

  private _onRuns(runs: IRun[]): void {
    this._journalRead = true;
    this._openRuns.clear();
    void this._checkOutbox();
    for (const run of runs) {
      this._onChanged(run);
    }
    for (const pair of this._live.keys()) {
      this._pairChanged.emit(pair);
    }
    this._reportLanded();
    this._pairChanged.emit('');
    this._emit();
  }

  /** A page that went away while it was sending: what never reached the server comes back. */
  private async _checkOutbox(): Promise<void> {
    const held = this._outbox.held;
    // A message of another tab may still be on its way.
    const isMine = held && this._own.has(held.runId);
    if (
      !held ||
      this._posting ||
      (!isMine && Date.now() - held.at < OUTBOX_MS)
    ) {
      return;
    }
    try {
      await this._options.api.getRun(held.runId);
      this._outbox.clear();
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) {
        this._remove(held.pair, held.runId);
        this.draft.restore(held.pair, held.text);
        this._outbox.clear();
        this.notice =
          'This message had not reached the server when the page went away. It is back in the composer.';
      }
    }
  }

  private _onChanged(run: IRun): void {
    if (run.landed || run.dropped) {
      this._openRuns.delete(run.id);
      this._onLandedElsewhere(run);
      return;
    }
    this._openRuns.set(run.id, run);
    if (!isAlive(run) && landedRuns(this._notebook).has(run.id)) {
      return;
    }
    this._follow(run);
  }

  private _follow(run: IRun): void {
    if (run.dropped || this._deleted.has(run.pair)) {
      return;
    }
    const present = this._live.get(run.pair);
    if (present?.run.id === run.id) {
      present.update(run);
      return;
    }
    if (present && present.run.attempt > run.attempt) {
      return;
    }
    present?.dispose();
    const { api, socket } = this._options;
    const witnessed = isAlive(run);
    const live = new LiveRun({ run, api, socket });
    live.stateChanged.connect(this._emit, this);
    live.ended.connect(() => {
      if (
        this._options.context.model.collaborative ||
        this._own.has(run.id) ||
        !witnessed
      ) {
        this._land(live);
      } else {
        // Another page on this file sent it and will save it; two saves would collide.
        setTimeout(() => this._land(live), SENDER_GRACE_MS);
      }
    });
    live.failed.connect((_, reason) => {
      this._release(live);
      this.notice = `A reply could not be shown: ${reason} It is kept; open the chat again to see it.`;
    });
    this._openRuns.set(run.id, run);
    this._live.set(run.pair, live);
    this._show(run);
    this._pairChanged.emit(run.pair);
    this._emit();
  }

  /**
   * Have the pair of a run in the document.
   *
   * A page that only watches stays clean: the page that sent it saves it, and this one then
   * reads the file again.
   */
  private _show(run: IRun): void {
    const { model } = this._options.context;
    const watches =
      !model.collaborative && !model.dirty && !this._own.has(run.id);
    ensurePair(this._notebook, run.cell, run.after);
    if (watches) {
      model.dirty = false;
    }
  }

  private _land(live: LiveRun): void {
    const { run } = live;
    if (this._isDisposed || this._live.get(run.pair) !== live) {
      return;
    }
    const landing = {
      run,
      text: live.text,
      ...(live.reply.usage ? { usage: live.reply.usage } : {})
    };
    land(this._notebook, landing);
    this._landings = [...this._landings, landing].slice(-KEPT_LANDINGS);
    this._release(live);
    this._landed.emit(run.pair);
    this._options.save();
  }

  /** What can be seen must be in the document before a context is gathered from it. */
  private _landEnded(): void {
    for (const live of [...this._live.values()]) {
      if (live.hasEnded) {
        this._land(live);
      }
    }
  }

  private _release(live: LiveRun): void {
    this._live.delete(live.run.pair);
    this._pairChanged.emit(live.run.pair);
    live.dispose();
    this._emit();
  }

  /** Another page has saved this run's reply: take the file as it is now, unless this page has changes of its own. */
  private _onLandedElsewhere(run: IRun): void {
    const { context } = this._options;
    const live = this._live.get(run.pair);
    if (live?.run.id !== run.id) {
      return;
    }
    if (context.model.collaborative || context.model.dirty) {
      this._land(live);
      return;
    }
    this._release(live);
    context.revert().catch(error => {
      this.notice = `The file changed and could not be read again: ${words(error)}`;
    });
  }

  /** Other browsers may have landed the same runs: what came twice is tidied up after they met. */
  private _onContentChanged(): void {
    this._onRestored();
    if (this._landings.length && this._options.context.model.collaborative) {
      clearTimeout(this._tidying);
      this._tidying = setTimeout(() => this._tidy(), TIDY_MS);
    }
  }

  /** A deletion was undone: the journal must not count the reply as dropped any more. */
  private _onRestored(): void {
    for (const pair of this._deleted) {
      const cell = findPair(this._notebook, pair);
      if (cell) {
        this._deleted.delete(pair);
        const info = readRunInfo(cell.getMetadata(KEYS.run));
        if (info?.runId) {
          this._restored(info);
        }
      }
    }
  }

  private _restored(info: IRunInfo): void {
    this._options.api.dropRun(info.runId, false).then(
      run => {
        if (isUnderWay(info.state)) {
          // What still came after the deletion is in the journal.
          this._follow(run);
        }
      },
      error => console.warn(`Turnbook: ${words(error)}`)
    );
  }

  private _limits() {
    const { catalog, settings } = this._options;
    const { windows, responseReserve } = settings.current;
    const listed = catalog.find(this.model)?.window;
    const { tokens } = modelWindow(this.model, listed, windows);
    return {
      window: tokens,
      softCap: softCap(tokens),
      reserve: responseReserve
    };
  }

  private _onCatalog(): void {
    this.context.limits = this._limits();
    this._emit();
  }

  private _onSettings(): void {
    const { settings } = this._options;
    this.context.configure(
      settings.estimator,
      settings.current.interruptedSentinel
    );
    this._onCatalog();
  }

  private _tidy(): void {
    for (const landing of this._isDisposed ? [] : this._landings) {
      if (findPair(this._notebook, landing.run.pair)) {
        land(this._notebook, landing);
      }
    }
  }

  private _onPathChanged(): void {
    const info = this.info;
    if (info) {
      this._opened = this._register(info);
    }
  }

  private _onModelState(
    _: INotebookModel,
    change: { name: string; newValue: unknown }
  ): void {
    if (change.name === 'dirty' && change.newValue === false) {
      this._reportLanded();
    }
  }

  private _onSaveState(_: unknown, state: DocumentRegistry.SaveState): void {
    if (state === 'completed') {
      this._reportLanded();
    }
  }

  /** After a save: the journal may let go of the replies that the file holds. */
  private _reportLanded(): void {
    if (this._options.context.model.dirty || this._openRuns.size === 0) {
      return;
    }
    const present = landedRuns(this._notebook);
    for (const [id, run] of this._openRuns) {
      if (present.has(id) && !isAlive(run)) {
        this._report(run);
      }
    }
  }

  private _report(run: IRun): void {
    this._openRuns.delete(run.id);
    this._options.api.landRun(run.id).catch(error => {
      // The journal keeps the reply; it is reported again after the next save.
      this._openRuns.set(run.id, run);
      console.warn(`Turnbook: landing was not reported: ${words(error)}`);
    });
  }

  private _emit(): void {
    if (!this._isDisposed) {
      this._changed.emit();
    }
  }

  private _changed = new Signal<this, void>(this);
  /** Pairs that this page deleted, until a deletion is undone. */
  private _deleted = new Set<string>();
  private _givenUp = false;
  private _isDisposed = false;
  private _journalRead = false;
  private _landed = new Signal<this, string>(this);
  private _landings: ILanding[] = [];
  private _live = new Map<string, LiveRun>();
  private _model: string | null = null;
  private _notice: string | null = null;
  private _outbox: Outbox;
  /** Runs that the journal still holds for this chat. */
  private _openRuns = new Map<string, IRun>();
  private _opened: Promise<void> = Promise.resolve();
  private _options: ChatSession.IOptions;
  private _own: OwnRuns;
  private _pairChanged = new Signal<this, string>(this);
  private _posting: IRun | null = null;
  private _problems: IProblem[] = [];
  private _sent = new Signal<this, string>(this);
  private _refused: { pair: string; text: string } | null = null;
  private _tidying: ReturnType<typeof setTimeout> | undefined;
  private _topic = '';
  private _wake: (() => void) | null = null;
  private _watch: IDisposable | null = null;
}

/**
 * The namespace for `ChatSession` statics.
 */
export namespace ChatSession {
  /** What a chat needs. */
  export interface IOptions {
    context: DocumentRegistry.IContext<INotebookModel>;
    api: TurnbookAPI;
    socket: RunSocket;
    catalog: ModelCatalog;
    storage: Draft.IStorage;
    /** What survives a reload of this tab alone. */
    tabStorage: Draft.IStorage;
    settings: ChatSettings;
    /** Save the document if it is saved by itself at all. */
    save: () => void;
  }
}

interface IPrepared {
  info: IRunInfo;
  provider: string;
  body: string;
}

/** Where a pair's reply and its tools' outputs are, last first. */
function replyPlaces(cell: ISharedCodeCell): number[] {
  return cell
    .getOutputs()
    .flatMap((output, place) =>
      outputRunId(output) !== null ||
      readReply([output]) !== null ||
      TOOL_MIME in ((output.data as object | undefined) ?? {})
        ? [place]
        : []
    )
    .reverse();
}

function cellBefore(notebook: ISharedNotebook, id: string): string | null {
  const index = notebook.cells.findIndex(cell => cell.getId() === id);
  return index > 0 ? notebook.cells[index - 1].getId() : null;
}

/** After a refused resend was taken back, the text that never went out is no version. */
function dropLastVersion(
  notebook: ISharedNotebook,
  cell: ISharedCodeCell
): void {
  const kept = versionsOf(cell).slice(0, -1);
  notebook.transact(() => {
    if (kept.length) {
      cell.setMetadata(KEYS.versions, kept as unknown as PartialJSONValue);
    } else {
      cell.deleteMetadata(KEYS.versions);
    }
  }, false);
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

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function refusal(error: unknown): string {
  if (error instanceof ApiError && error.code === 'chat-busy') {
    return 'A reply in this chat is still under way, perhaps in another tab. Nothing was sent; wait for it or stop it.';
  }
  return `Nothing was sent: ${words(error)}`;
}
