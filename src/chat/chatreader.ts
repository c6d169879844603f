import type { DocumentRegistry } from '@jupyterlab/docregistry';
import {
  type Contents,
  Drive,
  type IContentProvider
} from '@jupyterlab/services';

import type { IReading } from '../base/run';
import { CHAT_PATTERN } from '../document/chatfile';
import { notebookIn } from '../document/filetext';
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
    const { api, usual } = this._options;
    let file: Contents.IModel;
    let reading: IReading;
    try {
      [file, reading] = await Promise.all([
        usual.get(path, {
          type: 'file',
          format: 'text',
          content: true,
          hash: true
        }),
        api.getReading(path)
      ]);
    } catch {
      // The same happens once more, and is told there; or it was the format.
      return null;
    }
    // The server and the page may have looked at different versions of the file.
    const isSame = reading.hash !== null && reading.hash === file.hash;
    const content =
      isSame && typeof file.content === 'string'
        ? notebookIn(file.content, reading.trusted)
        : null;
    return (
      content && {
        ...file,
        type: 'notebook',
        format: 'json',
        mimetype: null as unknown as string,
        content
      }
    );
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
