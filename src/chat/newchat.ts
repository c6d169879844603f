import type { Contents } from '@jupyterlab/services';
import { PathExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';

import { CHAT_EXTENSION, emptyChat } from '../document/chatfile';

/**
 * Make a new chat file in a folder and answer its path.
 *
 * The contents API cannot make an untitled file with this ending and would overwrite one,
 * so the file is made under a name of the server's and then renamed to the first free one.
 */
export async function createChat(
  contents: Contents.IManager,
  folder: string,
  model?: string
): Promise<string> {
  const { path } = await contents.newUntitled({
    path: folder,
    type: 'notebook'
  });
  await contents.save(path, {
    type: 'notebook',
    format: 'json',
    content: emptyChat(model)
  });
  for (let n = 0; ; n++) {
    const name = `Untitled${n || ''}${CHAT_EXTENSION}`;
    try {
      const renamed = await contents.rename(path, PathExt.join(folder, name));
      return renamed.path;
    } catch (error) {
      if (
        !(error instanceof ServerConnection.ResponseError) ||
        error.response.status !== 409
      ) {
        await contents.delete(path);
        throw error;
      }
    }
  }
}
