import type { ISharedCodeCell, ISharedNotebook } from '@jupyter/ydoc';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import { ServerConnection } from '@jupyterlab/services';
import { UUID, type PartialJSONObject } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import { gatherContext, idRanges, type ContextCell } from '../context/gather';
import {
  ensurePair,
  findPair,
  FORMAT,
  KEYS,
  land,
  landedRuns,
  lastCell,
  pairCell,
  problems,
  readChatInfo,
  readReply,
  readRunInfo,
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
import { Draft } from './draft';

/** How long a page waits for the page that sent a message to save its reply. */
const SENDER_GRACE_MS = 3000;

/** After a change, how long to wait before replies that landed twice are tidied up. */
const TIDY_MS = 500;

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
    this.ready = context.ready.then(() => this._open());
    context.pathChanged.connect(this._onPathChanged, this);
    context.model.stateChanged.connect(this._onModelState, this);
    context.model.contentChanged.connect(this._onContentChanged, this);
    context.saveState.connect(this._onSaveState, this);
    options.catalog.changed.connect(this._emit, this);
  }

  /** The message being written. */
  readonly draft: Draft;

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
    for (const { run } of this._live.values()) {
      if (isAlive(run)) {
        return run;
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
    this._emit();
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
    const { pair, text } = this.draft;
    if (!text.trim() || this.busy) {
      return;
    }
    const { provider, model } = splitModel(this.model);
    if (!model) {
      this.notice =
        'Choose a model first, or add a provider in the model menu.';
      return;
    }
    const notebook = this._notebook;
    const context = gatherContext(contextCells(notebook), text);
    const body = render(model, context.messages);
    const now = Date.now();
    const info: IRunInfo = {
      state: 'sending',
      model: `${provider}/${model}`,
      createdAt: now,
      updatedAt: now,
      runId: UUID.uuid4(),
      attempt: 1,
      context: idRanges(
        context.cells,
        notebook.cells.map(cell => cell.getId())
      ),
      requestHash: bodyHash(body)
    };
    const cell = pairCell(pair, text, info, this._marks());
    const after = lastCell(notebook);
    const chat = this._ensureInfo().chatId;
    ensurePair(notebook, cell, after);
    this._notice = null;
    this._posting = pendingRun(chat, pair, info);
    this._own.add(info.runId);
    this.draft.clear();
    this._emit();
    const request = { id: info.runId, chat, pair, cell, after, provider, body };
    try {
      await this._opened;
      this._follow(await this._post(request));
    } catch (error) {
      this._takeBack(pair, text);
      this._notice = refusal(error);
    } finally {
      this._posting = null;
      this._emit();
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
    const { catalog } = this._options;
    catalog.changed.disconnect(this._emit, this);
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
    this._watch?.dispose();
    this._watch = this._options.socket.watch(info.chatId, {
      onRuns: runs => this._onRuns(runs),
      onChanged: run => this._onChanged(run)
    });
  }

  private _ensureInfo(): IChatInfo {
    let info = this.info;
    if (!info) {
      info = { format: FORMAT, chatId: UUID.uuid4(), model: this.model };
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
    const topic = this.info?.topic;
    return topic ? { topic } : {};
  }

  private async _post(request: INewRun): Promise<IRun> {
    this._givenUp = false;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this._options.api.createRun(request);
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

  /** A message that was not sent: its pair goes, its text returns. */
  private _takeBack(pair: string, text: string): void {
    const notebook = this._notebook;
    const index = notebook.cells.findIndex(cell => cell.getId() === pair);
    if (index !== -1) {
      notebook.transact(() => notebook.deleteCell(index), false);
    }
    this.draft.restore(pair, text);
  }

  private _onRuns(runs: IRun[]): void {
    this._journalRead = true;
    this._openRuns.clear();
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
    this._openRuns.set(run.id, run);
    this._live.set(run.pair, live);
    if (!run.dropped) {
      ensurePair(this._notebook, run.cell, run.after);
    }
    this._pairChanged.emit(run.pair);
    this._emit();
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
    this._options.save();
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
    if (this._landings.length && this._options.context.model.collaborative) {
      clearTimeout(this._tidying);
      this._tidying = setTimeout(() => this._tidy(), TIDY_MS);
    }
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
  private _givenUp = false;
  private _isDisposed = false;
  private _journalRead = false;
  private _landings: ILanding[] = [];
  private _live = new Map<string, LiveRun>();
  private _model: string | null = null;
  private _notice: string | null = null;
  /** Runs that the journal still holds for this chat. */
  private _openRuns = new Map<string, IRun>();
  private _opened: Promise<void> = Promise.resolve();
  private _options: ChatSession.IOptions;
  private _own = new Set<string>();
  private _pairChanged = new Signal<this, string>(this);
  private _posting: IRun | null = null;
  private _problems: IProblem[] = [];
  private _tidying: ReturnType<typeof setTimeout> | undefined;
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
    /** Save the document if it is saved by itself at all. */
    save: () => void;
  }
}

/** A document's cells as the context reads them. */
export function contextCells(notebook: ISharedNotebook): ContextCell[] {
  return notebook.cells.map(cell => {
    const id = cell.getId();
    switch (cell.cell_type) {
      case 'raw':
        return { kind: 'system', id, text: cell.getSource() };
      case 'code': {
        const outputs = (cell as ISharedCodeCell).getOutputs();
        return {
          kind: 'pair',
          id,
          user: cell.getSource(),
          reply: readReply(outputs)?.text ?? '',
          state: readRunInfo(cell.getMetadata(KEYS.run))?.state ?? 'idle'
        };
      }
      default:
        return { kind: 'note', id };
    }
  });
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
