import type { Contents } from '@jupyterlab/services';

import { fileEntry } from '../../document/chatentry';
import { readChatInfo } from '../../document/metadata';
import type { IOpenChats } from '../../chat/openchats';

/** The path of the chat with an id: an open one, or one in a folder; null if there is none. */
export async function findChat(
  chatId: string,
  tracker: IOpenChats,
  contents: Contents.IManager,
  folder: string
): Promise<string | null> {
  const open = tracker.find(({ session }) => session.info?.chatId === chatId);
  if (open) {
    return open.context.path;
  }
  const { content } = await contents.get(folder);
  const files = (content as Contents.IModel[]).filter(
    ({ type, name }) => type === 'notebook' && name.includes('.chat')
  );
  for (const { path } of files) {
    // Read as a notebook, the server would restore the older version of a file that is being
    // written.
    const file = await contents.get(path, {
      type: 'file',
      format: 'text',
      content: true
    });
    if (chatIdOf(String(file.content)) === chatId) {
      return path;
    }
  }
  return null;
}

function chatIdOf(text: string): string | null {
  let notebook: unknown;
  try {
    notebook = JSON.parse(text);
  } catch (error) {
    console.warn('Turnbook: a chat cannot be read', error);
    return null;
  }
  return readChatInfo(fileEntry(notebook))?.chatId ?? null;
}
