import type { ISharedNotebook } from '@jupyter/ydoc';
import type { PartialJSONValue } from '@lumino/coreutils';

import { RESERVED_OPTIONS } from '../document/metadata';
import {
  chatFrame,
  storedFrame,
  withOption,
  type IFrameEntry
} from '../request/chatframe';
import { RequestError } from '../request/errors';
import { checkOption } from '../request/options';
import { defaultFrame } from '../request/render';
import type { ChatRequests } from '../request/requests';
import {
  countedOptions,
  shownOptions,
  type IShownOption
} from '../request/shownoptions';
import type { ChatAbout } from './about';
import type { ChatFile } from './file';

/**
 * The options of a chat, which go with all its messages until the user changes them.
 *
 * Edits of a single request come on top of them and end with it.
 */
export class ChatOptions {
  constructor(private _options: ChatOptions.IOptions) {
    _options.notebook.metadataChanged.connect(this._onMetadata, this);
  }

  /** The options that go with the next message. */
  get shown(): readonly IShownOption[] {
    const { about, requests } = this._options;
    if (requests.edits?.options) {
      return shownOptions(about.entry, requests.live.request);
    }
    this._shown ??= shownOptions(about.entry, null);
    return this._shown;
  }

  /** The text of those that a model reads with the messages. */
  get counted(): string {
    this._counted ??= countedOptions(chatFrame(this._options.about.entry));
    return this._counted;
  }

  /** Set an option of the chat. Throws a `RequestError` if it cannot have that value. */
  set(name: string, value: PartialJSONValue): void {
    if (RESERVED_OPTIONS.includes(name)) {
      throw new RequestError('fixed-option', reservedWords(name), [name]);
    }
    checkOption(name, value);
    this._write(name, value);
  }

  /** Remove an option, from the next message if it belongs to that, else from the chat. */
  remove({ name, scope }: IShownOption): void {
    if (scope === 'message') {
      this._options.requests.live.resetOption(name);
      return;
    }
    const usual = defaultFrame('');
    this._write(
      name,
      Object.hasOwn(usual, name) ? (usual[name] as PartialJSONValue) : undefined
    );
  }

  /** Keep an edited option of the request being written for the chat. */
  keep(name: string): void {
    const { live } = this._options.requests;
    const { frame } = live.request;
    this._write(
      name,
      Object.hasOwn(frame, name) ? (frame[name] as PartialJSONValue) : undefined
    );
    live.resetOption(name);
  }

  /** The name of the option whose last change can be undone; null if there is none. */
  get undoable(): string | null {
    const last = this._last;
    return last && said(this._stored) === said(last.after) ? last.name : null;
  }

  /** Undo the last change. */
  undo(): void {
    if (this.undoable !== null) {
      this._store(this._last!.before);
    }
    this._last = null;
  }

  /** Undo nothing from before: a message was sent. */
  settle(): void {
    this._last = null;
  }

  dispose(): void {
    this._options.notebook.metadataChanged.disconnect(this._onMetadata, this);
  }

  private get _stored(): IFrameEntry {
    return storedFrame(this._options.about.entry);
  }

  private _write(name: string, value: PartialJSONValue | undefined): void {
    const { about } = this._options;
    about.ensure();
    const before = this._stored;
    this._store(withOption(about.entry, name, value));
    this._last = { name, before, after: this._stored };
  }

  private _store(entry: IFrameEntry): void {
    const { about, file } = this._options;
    about.writeOptions(entry);
    file.autosave();
  }

  private _onMetadata(): void {
    this._shown = null;
    this._counted = null;
  }

  private _counted: string | null = null;
  private _last: {
    name: string;
    before: IFrameEntry;
    after: IFrameEntry;
  } | null = null;
  private _shown: readonly IShownOption[] | null = null;
}

/**
 * The namespace for `ChatOptions` statics.
 */
export namespace ChatOptions {
  export interface IOptions {
    about: Pick<ChatAbout, 'ensure' | 'entry' | 'writeOptions'>;
    file: Pick<ChatFile, 'autosave'>;
    notebook: ISharedNotebook;
    requests: Pick<ChatRequests, 'edits' | 'live'>;
  }
}

function reservedWords(name: string): string {
  switch (name) {
    case 'model':
      return 'The model is chosen in the model menu.';
    case 'messages':
      return 'The messages are the cells of the chat.';
    default:
      return 'Turnbook reads replies as they are written, so this is always on.';
  }
}

function said(entry: IFrameEntry): string {
  return JSON.stringify(entry);
}
