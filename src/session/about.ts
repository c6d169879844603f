import type { ISharedNotebook } from '@jupyter/ydoc';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import { UUID, type PartialJSONObject } from '@lumino/coreutils';
import { Signal, type ISignal } from '@lumino/signaling';

import { isObject } from '../base/json';
import type { IOpening } from '../base/run';
import { modelWindow } from '../context/windows';
import {
  chatEntry,
  chatInfo,
  problemsOf,
  setChatInfo
} from '../document/chatentry';
import { FORMAT, type IChatInfo, type IProblem } from '../document/metadata';
import { Pair } from '../document/pair';
import {
  frameDigest,
  notableNames,
  writeFrame,
  type IFrameEntry
} from '../request/chatframe';
import type { IRule } from '../request/rules';
import type { ModelCatalog } from '../runs/catalog';
import { isLocal } from '../runs/localstate';
import { RecentModels } from '../runs/recentmodels';
import type { Draft } from './draft';
import {
  fileAsk,
  TO_CHAT_MODEL,
  type IAskedModels,
  type IFileAsk
} from './fileask';
import { KnownFiles, type IAgreement } from './knownfiles';
import type { ChatSettings } from './settings';
import { startModel, type IStartModel } from './startmodel';

/**
 * The metadata of a chat's file, and what this browser knows about the file: whether it was created
 * here, and what the user allows it.
 */
export class ChatAbout {
  constructor(private _options: ChatAbout.IOptions) {
    this._files = new KnownFiles(_options.storage);
    this.recent = new RecentModels(_options.storage);
    this._last = this.recent.last;
  }

  /** The models used last, in any chat. */
  readonly recent: RecentModels;

  /** Emitted when the user chose the model or the topic of later messages. */
  get chosen(): ISignal<this, 'model' | 'topic'> {
    return this._chosen;
  }

  /** The chat's metadata; null if the notebook is not a chat yet. */
  get info(): IChatInfo | null {
    return chatInfo(this._notebook);
  }

  /** The notebook's `turnbook` metadata, which is untrusted. */
  get entry(): PartialJSONObject | undefined {
    const entry = chatEntry(this._notebook);
    return isObject(entry) ? entry : undefined;
  }

  /** The chat's id in the file; empty if it is not a chat yet. */
  get chatId(): string {
    return this.info?.chatId ?? '';
  }

  /** The model of the next message, as `provider/model`. */
  get model(): string {
    return this._ownModel ?? this._start.model;
  }
  set model(value: string) {
    this._model = value;
    const info = this.info;
    if (info && info.model !== value) {
      this.write({ ...info, model: value });
    }
    this.agree({ models: [value] });
    this._chosen.emit('model');
  }

  /** The user's choice of the model of this chat, and of the next new one. */
  choose(model: string): void {
    this.recent.use(model);
    this.model = model;
  }

  /**
   * The model that this chat would start with if its provider were not gone; null if there is no
   * such model, or another one was chosen.
   */
  get missingModel(): string | null {
    return this._ownModel === null ? this._start.missing : null;
  }

  /** The context window of a model in tokens; null if nobody knows it. */
  windowOf(model: string): number | null {
    const { catalog, settings } = this._options;
    const listed = catalog.find(model)?.window;
    const { tokens, source } = modelWindow(
      model,
      listed,
      settings.current.windows
    );
    return source === 'default' ? null : tokens;
  }

  /** The topic of new pairs; empty for none. */
  get topic(): string {
    return this.info?.topic ?? this._topic;
  }
  set topic(value: string) {
    this._topic = value;
    const info = this.info;
    if (info && (info.topic ?? '') !== value) {
      this.write({ ...info, topic: value });
    }
    this._chosen.emit('topic');
  }

  /** Whether this browser created the file. */
  get isOwn(): boolean {
    return this._files.isMade(this.chatId, this._localPath);
  }

  /** What the file requests that the user has not agreed to; null if nothing. */
  get asks(): IFileAsk | null {
    return this.asksFor(TO_CHAT_MODEL);
  }

  /** The same for a request to several models. */
  asksFor(asked: IAskedModels): IFileAsk | null {
    return this.isOwn
      ? null
      : fileAsk(
          this.entry,
          this.model,
          this.info?.model !== undefined,
          this._agreement,
          asked
        );
  }

  /**
   * The models of a pair's replies that are asked again; none if the chat's is asked instead, since the
   * user keeps the file local and has not agreed to all of these, which the file names.
   */
  askedAgain(models: readonly string[]): readonly string[] {
    const { model } = this;
    const isKeptLocal =
      isLocal(model) && this._agreement.models.includes(model);
    const asks = this.asksFor({ models, areChosen: false });
    return isKeptLocal && asks?.choosesModel ? [] : models;
  }

  /** Record what the user allows this file's requests. */
  agree(terms: Partial<IAgreement>): void {
    if (this.info && !this.isOwn) {
      this._files.agree(this.chatId, this._localPath, terms);
    }
  }

  /** What could not be read when the document was opened. */
  get problems(): IProblem[] {
    return this._problems;
  }

  /** To be called when the document has been read. */
  opened(): void {
    this._path = this._localPath;
    this._cameSent = Pair.all(this._notebook).some(
      ({ storedRun }) => storedRun !== undefined
    );
    this._problems = problemsOf(this._notebook);
  }

  /** To be called when the file has another path. */
  moved(): void {
    const from = this._path;
    this._path = this._localPath;
    const info = this.info;
    if (info) {
      this._files.move(info.chatId, from, this._path);
      this._options.register(info, from ? { from } : {});
    }
  }

  /** To be called when the server has given the chat another id. */
  renamed(from: string, to: string): void {
    this._files.rename(from, to, this._localPath);
  }

  /** Make the notebook a chat with a model, if it is not one yet. */
  ensure(): IChatInfo {
    let info = this.info;
    if (!info) {
      info = {
        format: FORMAT,
        chatId: UUID.uuid4(),
        model: this.model,
        ...(this._topic ? { topic: this._topic } : {})
      };
      if (!chatEntry(this._notebook) && !this._cameSent) {
        // It becomes a chat here, and nothing of a chat from elsewhere is in it.
        this._files.make(info.chatId, this._localPath);
      }
      this.write(info);
      this.agree({ models: [this.model] });
      this._options.register(info, {});
    } else if (!info.model) {
      info = { ...info, model: this.model };
      this.write(info);
      this.agree({ models: [this.model] });
    }
    return info;
  }

  /** Write the chat's metadata. */
  write(info: IChatInfo): void {
    setChatInfo(this._notebook, info);
  }

  /** Store the Auto-apply rules of this chat. */
  writeRules(rules: readonly IRule[]): void {
    const info = this.ensure();
    const autoApply = { rules } as unknown as PartialJSONObject;
    setChatInfo(this._notebook, info, { autoApply });
  }

  /**
   * Store the options that the user has given the chat.
   *
   * The user thereby agrees to them, unless the file came with some that they were not asked about.
   */
  writeOptions(options: IFrameEntry): void {
    const isKnown = this._hasAgreed;
    writeFrame(this._notebook, options);
    const digest = frameDigest(this.entry);
    if (isKnown && digest !== null) {
      this.agree({ options: [digest] });
    }
  }

  /** Whether the user agreed to the file's options, or it has none. */
  private get _hasAgreed(): boolean {
    const { entry } = this;
    const digest = notableNames(entry).length ? frameDigest(entry) : null;
    const { options } = this._agreement;
    return digest === null || options.includes(digest);
  }

  private get _agreement(): IAgreement {
    return this._files.agreement(this.chatId, this._localPath);
  }

  /** The model that was chosen for this chat, here or in the file. */
  private get _ownModel(): string | null {
    return this.info?.model ?? this._model;
  }

  /** Derived whenever it is needed: settings and the list of models arrive in any order. */
  private get _start(): IStartModel {
    const { catalog, settings } = this._options;
    return startModel(settings.current.defaultModel, this._last, catalog.list);
  }

  private get _notebook(): ISharedNotebook {
    return this._options.context.model.sharedModel;
  }

  private get _localPath(): string {
    return this._options.context.localPath;
  }

  /** Whether the file had pairs that were sent when it was opened. */
  private _cameSent = false;
  private _chosen = new Signal<this, 'model' | 'topic'>(this);
  private _files: KnownFiles;
  /** The model used last before this chat was opened; later ones do not change an open chat. */
  private _last: string;
  private _model: string | null = null;
  private _path = '';
  private _problems: IProblem[] = [];
  private _topic = '';
}

/**
 * The namespace for `ChatAbout` statics.
 */
export namespace ChatAbout {
  export interface IOptions {
    context: Pick<
      DocumentRegistry.IContext<INotebookModel>,
      'model' | 'localPath'
    >;
    catalog: Pick<ModelCatalog, 'find' | 'list'>;
    settings: Pick<ChatSettings, 'current'>;
    storage: Draft.IStorage;
    /** Register a new or moved chat with the server. */
    register: (info: IChatInfo, more: IOpening) => void;
  }
}
