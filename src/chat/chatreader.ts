import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookContent } from '@jupyterlab/nbformat';
import {
  type Contents,
  Drive,
  type IContentProvider
} from '@jupyterlab/services';

import type { IReading } from '../base/run';
import { CHAT_PATTERN } from '../document/chatfile';
import { notebookIn, trustCells } from '../document/filetext';
import { readWith, usualProvider } from '../labpatch/contextreading';
import { TurnbookAPI } from '../runs/api';

const ID = 'jupyterlab-turnbook:chats';
const CHAT = new RegExp(CHAT_PATTERN);

/**
 * Reads chats as texts, since the server takes longer to check all cells of a long chat than the page
 * takes to show it. What is not as Turnbook writes it, or is more than a text for the server, the
 * server reads as any notebook.
 */
export class ChatReader implements IContentProvider {
  constructor(private readonly _options: ChatReader.IOptions) {}

  async get(
    path: string,
    options: Contents.IFetchOptions = {}
  ): Promise<Contents.IModel> {
    const isChat = options.type === 'notebook' && CHAT.test(path);
    const read = isChat && options.content && (await this._read(path));
    return read || this._options.usual.get(path, options);
  }

  save(
    path: string,
    options?: Partial<Contents.IModel>
  ): Promise<Contents.IModel> {
    return this._options.usual.save(path, options);
  }

  private async _read(path: string): Promise<Contents.IModel | null> {
    const { api } = this._options;
    let file: Contents.IModel;
    let content: INotebookContent | null;
    let reading: IReading;
    try {
      // The text is read while the server still looks for the user's signature.
      [[file, content], reading] = await Promise.all([
        this._readText(path),
        api.getReading(path)
      ]);
    } catch {
      // The same happens once more, and is told there; or it was the format.
      return null;
    }
    // The server and the page may have looked at different versions of the file.
    if (!content || reading.hash === null || reading.hash !== file.hash) {
      return null;
    }
    if (reading.trusted) {
      trustCells(content);
    }
    return {
      ...file,
      type: 'notebook',
      format: 'json',
      mimetype: null as unknown as string,
      content
    };
  }

  /** The file as a text, and the notebook in it, none of which is trusted yet. */
  private async _readText(
    path: string
  ): Promise<[Contents.IModel, INotebookContent | null]> {
    const file = await this._options.usual.get(path, {
      type: 'file',
      format: 'text',
      content: true,
      hash: true
    });
    const isText = typeof file.content === 'string';
    return [file, isText ? notebookIn(file.content) : null];
  }
}

/**
 * The namespace for `ChatReader` statics.
 */
export namespace ChatReader {
  export interface IOptions {
    api: Pick<TurnbookAPI, 'getReading'>;
    /** Reads all other files, and saves. */
    usual: IContentProvider;
  }
}

/** Returns a function that lets documents of the server's own drive be read so. */
export function quickReading(
  contents: Contents.IManager
): (context: DocumentRegistry.Context) => void {
  const drive = (contents as { defaultDrive?: Contents.IDrive }).defaultDrive;
  const providers = drive?.contentProviderRegistry;
  // Another drive may keep its files elsewhere.
  const isOurs = drive && Object.getPrototypeOf(drive) === Drive.prototype;
  const usual = isOurs && usualProvider(drive);
  if (!usual || !providers) {
    return () => undefined;
  }
  const api = new TurnbookAPI({ serverSettings: drive.serverSettings });
  providers.register(ID, new ChatReader({ api, usual }));
  return context => {
    if (!contents.driveName(context.path)) {
      readWith(context, ID);
    }
  };
}
