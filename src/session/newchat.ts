import type { INotebookContent } from '@jupyterlab/nbformat';
import type { Contents } from '@jupyterlab/services';
import { PathExt } from '@jupyterlab/coreutils';
import { Drive, ServerConnection } from '@jupyterlab/services';

import { CHAT_EXTENSION, emptyChat } from '../document/chatfile';
import { fileEntry } from '../document/chatentry';
import { readChatInfo } from '../document/metadata';
import type { KnownFiles } from './knownfiles';

/** Create a chat file in a folder, mark it as created here, and return its path. */
export async function createChat(
  contents: Contents.IManager,
  files: KnownFiles,
  folder: string,
  model?: string
): Promise<string> {
  return createChatOf(contents, files, folder, emptyChat(model), 'Untitled');
}

/** Create a chat file with this content, as above; its name begins with `name`. */
export async function createChatOf(
  contents: Contents.IManager,
  files: KnownFiles,
  folder: string,
  content: INotebookContent,
  name: string
): Promise<string> {
  const path = await createNotebook(
    contents,
    folder,
    content,
    n => `${name}${n || ''}${CHAT_EXTENSION}`
  );
  const { chatId } = readChatInfo(fileEntry(content))!;
  files.make(chatId, contents.localPath(path));
  return path;
}

/**
 * Write a notebook under the first free name and return its path.
 *
 * The contents API cannot create an untitled file with our extension and would overwrite an
 * existing one, so the file is created under the server's name and then renamed.
 */
export async function createNotebook(
  contents: Contents.IManager,
  folder: string,
  content: INotebookContent,
  nameOf: (n: number) => string
): Promise<string> {
  // The file browser must not refresh the folder now: a server that lists a file while it is being
  // renamed reports that the folder does not exist.
  const { serverSettings } = contents;
  const quiet = contents.driveName(folder)
    ? contents
    : new Drive({ serverSettings });
  const { path } = await quiet.newUntitled({ path: folder, type: 'notebook' });
  try {
    await quiet.save(path, { type: 'notebook', format: 'json', content });
    for (let n = 0; ; n++) {
      try {
        const renamed = await contents.rename(
          path,
          PathExt.join(folder, nameOf(n))
        );
        return renamed.path;
      } catch (error) {
        if (
          !(error instanceof ServerConnection.ResponseError) ||
          error.response.status !== 409
        ) {
          throw error;
        }
      }
    }
  } catch (error) {
    await quiet.delete(path);
    throw error;
  }
}
