import type { ISharedNotebook } from '@jupyter/ydoc';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import { UUID, type PartialJSONObject } from '@lumino/coreutils';
import { Signal, type ISignal } from '@lumino/signaling';

import { isObject } from '../base/json';
import type { IOpening } from '../base/run';
import {
  chatEntry,
  chatInfo,
  problemsOf,
  setChatInfo
} from '../document/chatentry';
import { FORMAT, type IChatInfo, type IProblem } from '../document/metadata';
import {
  frameDigest,
  writeFrame,
  type IFrameEntry
} from '../request/chatframe';
import type { IRule } from '../request/rules';
import type { ModelCatalog } from '../runs/catalog';
import type { Draft } from './draft';
import { fileAsk, type IFileAsk } from './fileask';
import { KnownFiles, type IAgreement } from './knownfiles';

/**
 * What a chat says of itself in its file, and what this browser knows of the file: whether it was
 * made here, and what the user lets it ask for.
 */
export class ChatAbout {
  constructor(private _options: ChatAbout.IOptions) {
    this._files = new KnownFiles(_options.storage);
  }

  /** Emitted when the model or the topic of later messages was chosen. */
  get chosen(): ISignal<this, 'model' | 'topic'> {
    return this._chosen;
  }

  /** What the notebook says of itself; null before it is a chat. */
  get info(): IChatInfo | null {
    return chatInfo(this._notebook);
  }

  /** The notebook's `turnbook` metadata, which anybody may have written. */
  get entry(): PartialJSONObject | undefined {
    const entry = chatEntry(this._notebook);
    return isObject(entry) ? entry : undefined;
  }

  /** The chat's id as the file has it; empty before it is a chat. */
  get chatId(): string {
    return this.info?.chatId ?? '';
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
      this.write({ ...info, model: value });
    }
    this.agree({ models: [value] });
    this._chosen.emit('model');
  }

  /** The topic that new pairs get; empty for none. */
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

  /** Whether this browser made the file. */
  get isOwn(): boolean {
    return this._files.isMade(this.chatId, this._localPath);
  }

  /** What the file asks for that the user has not agreed to; null if nothing. */
  get asks(): IFileAsk | null {
    return this.isOwn
      ? null
      : fileAsk(
          this.entry,
          this.model,
          this.info?.model !== undefined,
          this._files.agreement(this.chatId, this._localPath)
        );
  }

  /** The user lets the requests of this file have these. */
  agree(terms: Partial<IAgreement>): void {
    if (this.info && !this.isOwn) {
      this._files.agree(this.chatId, this._localPath, terms);
    }
  }

  /** What in the document could not be read when it was opened. */
  get problems(): IProblem[] {
    return this._problems;
  }

  /** The document has been read. */
  opened(): void {
    this._path = this._localPath;
    this._problems = problemsOf(this._notebook);
  }

  /** The file is at another path now. */
  moved(): void {
    const from = this._path;
    this._path = this._localPath;
    const info = this.info;
    if (info) {
      this._files.move(info.chatId, from, this._path);
      this._options.register(info, from ? { from } : {});
    }
  }

  /** The server has given the chat another id. */
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
      if (!chatEntry(this._notebook)) {
        // It becomes a chat here, and nothing of one came with it.
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

  /** Have the notebook say this of itself. */
  write(info: IChatInfo): void {
    setChatInfo(this._notebook, info);
  }

  /** Keep the rules of Auto-apply that hold in this chat. */
  writeRules(rules: readonly IRule[]): void {
    const info = this.ensure();
    const autoApply = { rules } as unknown as PartialJSONObject;
    setChatInfo(this._notebook, info, { autoApply });
  }

  /** The user has given the chat these options. */
  writeOptions(options: IFrameEntry): void {
    writeFrame(this._notebook, options);
    const digest = frameDigest(this.entry);
    this.agree({ options: digest === null ? [] : [digest] });
  }

  private get _notebook(): ISharedNotebook {
    return this._options.context.model.sharedModel;
  }

  private get _localPath(): string {
    return this._options.context.localPath;
  }

  private _chosen = new Signal<this, 'model' | 'topic'>(this);
  private _files: KnownFiles;
  private _model: string | null = null;
  private _path = '';
  private _problems: IProblem[] = [];
  private _topic = '';
}

/**
 * The namespace for `ChatAbout` statics.
 */
export namespace ChatAbout {
  /** What it needs. */
  export interface IOptions {
    context: Pick<
      DocumentRegistry.IContext<INotebookModel>,
      'model' | 'localPath'
    >;
    catalog: Pick<ModelCatalog, 'list'>;
    storage: Draft.IStorage;
    /** Tell the server of the chat: it is new, or somewhere else. */
    register: (info: IChatInfo, more: IOpening) => void;
  }
}
