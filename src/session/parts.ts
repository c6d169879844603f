import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import { Signal, type ISignal } from '@lumino/signaling';

import { trans } from '../base/words';
import { FollowedSteps } from '../document/choice';
import type { IRequestStorage } from '../base/storage';
import { ContextModel } from '../context/contextmodel';
import type { SharedRules } from '../request/autoapply';
import { ChatRequests } from '../request/requests';
import type { TurnbookAPI } from '../runs/api';
import type { ModelCatalog } from '../runs/catalog';
import { createRun } from '../runs/sends';
import type { RunSocket } from '../runs/socket';
import type { ITimes } from '../runs/times';
import { ChatAbout } from './about';
import { CanceledRuns } from './canceled';
import { RunClaims } from './claims';
import { contextSource } from './contextsource';
import { ChatOptions } from './chatoptions';
import { Draft } from './draft';
import { DraftFiles } from './draftfiles';
import { ChatEntry } from './entry';
import type { ChatFile } from './file';
import { RunFollower } from './follower';
import type { IJournalFacts } from './journalfacts';
import { KeptOut } from './keptout';
import { LastTime } from './lasttime';
import { LostMessages } from './lostmessages';
import { MissingFiles } from './missingfiles';
import { SendModes } from './modes';
import { NewReplies } from './newreplies';
import { Notice } from './notice';
import { Opening } from './opening';
import { Outbox } from './outbox';
import { Outgoings } from './outgoings';
import type { OwnRuns } from './ownruns';
import { PairActions } from './pairactions';
import { Preparing } from './preparing';
import { Prices } from './prices';
import { FilePermit } from './permit';
import { RefusedText } from './refused';
import { RequestHost } from './requesthost';
import { Review } from './review';
import { SendBudgets } from './sendbudget';
import { Sender } from './sender';
import type { ChatSettings } from './settings';

/** The parts of an open chat, and how they are connected. */
export class SessionParts {
  constructor(options: SessionParts.IOptions) {
    const { api, catalog, context, own, settings, storage, requestStorage } =
      options;
    const { sharedModel: notebook } = context.model;
    this._options = options;
    const files = new DraftFiles(requestStorage);
    this.draft = new Draft({ storage, files });
    this.news = new NewReplies(storage);
    this.prices = new Prices({ catalog, settings });
    this.outbox = new Outbox(storage);
    this.about = new ChatAbout({
      ...options,
      register: (info, more) => void this.opening.register(info, more)
    });
    this.entry = new ChatEntry({
      api,
      path: () => context.localPath,
      write: info => this.about.write(info),
      reopen: (info, more) => void this.opening.register(info, more),
      times: options.times
    });
    const chat = () => this.opening.chat();
    const claims = new RunClaims({ api, chat });
    const canceled = new CanceledRuns(claims);
    this.runs = new RunFollower({ ...options, canceled, claims, own });
    this.context = new ContextModel({
      notebook,
      source: contextSource(
        catalog,
        settings,
        () => this.about.model,
        () => this.options.counted
      ),
      isNew: id => this.news.has(id)
    });
    const host = new RequestHost({
      ...this,
      api,
      notebook,
      path: () => context.path
    });
    this.requests = new ChatRequests({
      host,
      getRequest: id => host.journalBytes(id),
      storage: requestStorage
    });
    this.lastTime = new LastTime({
      ...this,
      getRequest: id => host.journalBytes(id),
      landed: this.runs.landed,
      model: () => this.about.model,
      notebook
    });
    this.options = new ChatOptions({ ...this, file: options.file, notebook });
    this.modes = new SendModes({
      settings,
      rules: {
        shared: options.sharedRules,
        storage: requestStorage,
        read: () => this.about.entry?.autoApply,
        write: rules => this.about.writeRules(rules),
        isOwn: () => this.about.isOwn,
        now: () => Date.now()
      }
    });
    this.permit = new FilePermit({ ...options, ...this });
    const { file } = options;
    this.outgoings = new Outgoings({ ...this, file, host, notebook });
    this.review = new Review({ ...this, api, storage: requestStorage });
    this.budgets = new SendBudgets({ ...this, confirm: options.confirm });
    this.budgets.edited.connect(this.emit, this);
    const missing = new MissingFiles({
      ...this,
      confirm: options.confirmMissing,
      file,
      notebook
    });
    this.sender = new Sender({
      ...options,
      ...this,
      agrees: async draft =>
        (await missing.agrees(draft)) &&
        !this._isDisposed &&
        this.budgets.agrees(draft),
      canceled,
      chat,
      claims,
      create: run => createRun(api, options.socket, run),
      known: () => this._known(),
      notebook,
      own
    });
    this.lost = new LostMessages({
      ...this,
      api,
      isPosting: id => this.sender.posting?.run.id === id,
      notebook,
      own
    });
    this.opening = new Opening({ ...this, context });
    this.actions = new PairActions({
      ...options,
      ...this,
      claims,
      host,
      notebook,
      own,
      ready: () => this.ready,
      goOn: (pair, round) =>
        this.sender.send(() => this.outgoings.goOn(pair, round)),
      resend: (pair, text) =>
        this.sender.send(() => this.outgoings.resend(pair, text))
    });
    this._followed = new FollowedSteps({
      notebook,
      changed: pair => {
        this.runs.keepSiblings(pair);
        file.autosave();
      },
      // What is being sent can be taken back as long as it stays as it is.
      isHeld: pair => this.sender.posting?.run.pair === pair
    });
    this._keptOut = new KeptOut({ ...this, notebook });
    this._preparing = new Preparing({ ...this, socket: options.socket });
    this._connect();
    this.ready = context.ready.then(() => this.opening.open());
  }

  readonly about: ChatAbout;
  readonly actions: PairActions;
  readonly budgets: SendBudgets;
  readonly context: ContextModel;
  readonly draft: Draft;
  readonly entry: ChatEntry;
  readonly lastTime: LastTime;
  readonly lost: LostMessages;
  readonly modes: SendModes;
  readonly news: NewReplies;
  readonly notice = new Notice();
  readonly opening: Opening;
  readonly options: ChatOptions;
  readonly outbox: Outbox;
  readonly outgoings: Outgoings;
  readonly prices: Prices;
  readonly permit: FilePermit;
  readonly refused = new RefusedText();
  readonly requests: ChatRequests;
  readonly review: Review;
  readonly runs: RunFollower;
  readonly sender: Sender;

  /** Resolves when the document has been read and the server knows the chat. */
  readonly ready: Promise<void>;

  /** Emitted when anything that the composer shows changes. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Emit `changed`. */
  emit(): void {
    if (!this._isDisposed) {
      this._changed.emit();
    }
  }

  /** What the server's journal says of a pair. */
  journal(pair: string, sibling?: number): IJournalFacts {
    return {
      // A request that is on its way to the server is in no journal yet.
      read: this.runs.journalRead && this.sender.posting?.run.pair !== pair,
      newest: this.runs.newest(pair, sibling),
      skew: this._options.socket.skew
    };
  }

  /** Keep in the browser what is not kept yet: the page may go at once. */
  flush(): void {
    this.draft.flush();
    for (const keeping of [this.requests.flush(), this.review.flush()]) {
      keeping.catch(error => {
        console.warn('Turnbook: edits of the request cannot be kept', error);
      });
    }
  }

  dispose(): void {
    this._isDisposed = true;
    const { catalog, settings } = this._options;
    catalog.changed.disconnect(this._onCatalog, this);
    settings.changed.disconnect(this._onSettings, this);
    this._followed.dispose();
    this._keptOut.dispose();
    this._preparing.dispose();
    this.sender.dispose();
    this.opening.dispose();
    this.permit.dispose();
    this.modes.dispose();
    this.options.dispose();
    this.lastTime.dispose();
    this.lost.dispose();
    this.outbox.dispose();
    this.review.dispose();
    this.requests.dispose();
    this.context.dispose();
    this.runs.dispose();
    this.entry.dispose();
    this.draft.dispose();
    this.prices.dispose();
    Signal.clearData(this);
  }

  private _connect(): void {
    const { catalog, context, file, settings } = this._options;
    const { about, modes, notice, opening, requests, review, runs, sender } =
      this;
    for (const part of [modes.pause, opening, requests, review, runs, sender]) {
      (part.changed as ISignal<unknown, void>).connect(this.emit, this);
    }
    notice.said.connect(this.emit, this);
    about.chosen.connect((_, what) =>
      what === 'model' ? this._onCatalog() : this.emit()
    );
    runs.pairChanged.connect(this._onPairChanged, this);
    // What was just sent is seen, and what is seen is the context.
    sender.sent.connect((_, pair) => this.context.keep(pair));
    runs.trouble.connect((_, words) => notice.say(words));
    modes.rules.changed.connect(this._onRules, this);
    modes.update();
    requests.parity.mismatch.connect(this._onMismatch, this);
    this.context.changed.connect(this._onSource, this);
    this.draft.changed.connect(this._onSource, this);
    context.pathChanged.connect(this._onPathChanged, this);
    context.model.sharedModel.metadataChanged.connect(this._onMetadata, this);
    sender.sent.connect(() => this.options.settle());
    sender.changed.connect(() => this._followed.catchUp());
    file.reread.connect(this._onReread, this);
    catalog.changed.connect(this._onCatalog, this);
    settings.changed.connect(this._onSettings, this);
  }

  /** Wait for everything that determines a request. */
  private async _known(): Promise<void> {
    const { catalog, settings } = this._options;
    await Promise.all([this.ready, catalog.known(), settings.ready]);
    await Promise.all([this.context.counted, this.draft.ready]);
  }

  private _onCatalog(): void {
    this.context.update();
    this._onSource();
    this.lastTime.refresh();
    this.emit();
  }

  private _onMetadata(): void {
    this._onSource();
    this.emit();
  }

  private _onMismatch(_: unknown, found: { pair: string }): void {
    this.notice.say(
      trans.__(
        'The bytes that were sent are not those that this page made. Show request has what was sent.'
      )
    );
    console.warn('Turnbook: hashes of a request differ', found);
  }

  private _onPairChanged(_: unknown, pair: string): void {
    if (pair === '') {
      // The journal has been read, so it is known what arrived and what did not.
      void this.lost.check();
    }
  }

  private _onPathChanged(): void {
    this.about.moved();
  }

  private _onReread(): void {
    this.sender.putBack();
  }

  private _onRules(): void {
    this.requests.autoApply = this.modes.inForce;
    this.emit();
  }

  private _onSettings(): void {
    this.modes.update();
    this._onRules();
    this._onCatalog();
  }

  private _onSource(): void {
    this.requests.refresh();
    this.review.refresh();
  }

  private _changed = new Signal<this, void>(this);
  private _followed: FollowedSteps;
  private _isDisposed = false;
  private _keptOut: KeptOut;
  private _options: SessionParts.IOptions;
  private _preparing: Preparing;
}

/**
 * The namespace for `SessionParts` statics.
 */
export namespace SessionParts {
  export interface IOptions {
    context: DocumentRegistry.IContext<INotebookModel>;
    file: ChatFile;
    api: TurnbookAPI;
    socket: RunSocket;
    catalog: ModelCatalog;
    storage: Outbox.IStorage;
    /** The runs that this tab started. */
    own: OwnRuns;
    /** Storage for edits of requests until they are sent. */
    requestStorage: IRequestStorage;
    /** The Auto-apply rules of all chats. */
    sharedRules: SharedRules;
    settings: ChatSettings;
    ask: FilePermit.IOptions['ask'];
    confirm?: SendBudgets.IOptions['confirm'];
    confirmMissing?: MissingFiles.IOptions['confirm'];
    /** How long it waits for the server and for other pages, if not as users have it. */
    times?: ITimes;
  }
}
