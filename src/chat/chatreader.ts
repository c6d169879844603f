import type { DocumentRegistry } from '@jupyterlab/docregistry';
import {
  type Contents,
  Drive,
  RestContentProvider
} from '@jupyterlab/services';

import { CHAT_PATTERN } from '../document/chatfile';
import { notebookIn } from '../document/filetext';
import { readWith } from '../labpatch/contextreading';

const ID = 'jupyterlab-turnbook:chats';
const CHAT = new RegExp(CHAT_PATTERN);

/**
 * Reads chats as texts, since the server takes longer to check all cells of a long chat than the page
 * takes to show it. What is not as Turnbook writes it, the server reads as any notebook.
 */
export class ChatReader extends RestContentProvider {
  override async get(
    path: string,
    options: Contents.IFetchOptions = {}
  ): Promise<Contents.IModel> {
    const isChat = options.type === 'notebook' && CHAT.test(path);
    const read = isChat && options.content && (await this._read(path, options));
    return read || super.get(path, options);
  }

  private async _read(
    path: string,
    { hash }: Contents.IFetchOptions
  ): Promise<Contents.IModel | null> {
    let file: Contents.IModel;
    try {
      file = await super.get(path, {
        type: 'file',
        format: 'text',
        content: true,
        hash
      });
    } catch {
      // The same happens once more, and is told there; or it was the format.
      return null;
    }
    const content =
      typeof file.content === 'string' ? notebookIn(file.content) : null;
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

/** Returns a function that lets documents of the server's own drive be read so. */
export function quickReading(
  contents: Contents.IManager
): (context: DocumentRegistry.Context) => void {
  const drive = (contents as { defaultDrive?: Contents.IDrive }).defaultDrive;
  const providers = drive?.contentProviderRegistry;
  // Another drive may keep its files elsewhere.
  const isOurs = drive && Object.getPrototypeOf(drive) === Drive.prototype;
  if (!isOurs || !providers) {
    return () => undefined;
  }
  providers.register(
    ID,
    new ChatReader({
      apiEndpoint: 'api/contents',
      serverSettings: drive.serverSettings
    })
  );
  return context => {
    if (!contents.driveName(context.path)) {
      readWith(context, ID);
    }
  };
}
