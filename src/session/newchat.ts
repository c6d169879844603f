import type { INotebookContent } from '@jupyterlab/nbformat';
import type { Contents } from '@jupyterlab/services';
import { PathExt } from '@jupyterlab/coreutils';
import { Drive, ServerConnection } from '@jupyterlab/services';

import { CHAT_EXTENSION, emptyChat } from '../document/chatfile';
import { fileEntry } from '../document/chatentry';
import { readChatInfo } from '../document/metadata';
import type { KnownFiles } from './knownfiles';

/** Make a new chat file in a folder, known as made here, and answer its path. */
export async function createChat(
  contents: Contents.IManager,
  files: KnownFiles,
  folder: string,
  model?: string
): Promise<string> {
  const content = emptyChat(model);
  const path = await createNotebook(
    contents,
    folder,
    content,
    n => `Untitled${n || ''}${CHAT_EXTENSION}`
  );
  const { chatId } = readChatInfo(fileEntry(content))!;
  files.make(chatId, contents.localPath(path));
  return path;
}

/**
 * Write a notebook under the first of the names that is free and answer its path.
 *
 * The contents API cannot make an untitled file with an ending of ours and would overwrite one,
 * so the file is made under a name of the server's and then renamed.
 */
export async function createNotebook(
  contents: Contents.IManager,
  folder: string,
  content: INotebookContent,
  nameOf: (n: number) => string
): Promise<string> {
  // The file browser must not look at the folder now: a server that lists a file while it is
  // renamed says that the folder is not there.
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
