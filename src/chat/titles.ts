/** The titles of chats that may be closed. */
import { errorMessage } from '../base/errors';
import type { IRun } from '../base/run';
import { shortTitle } from '../document/title';
import { chatName } from '../request/name';
import type { TurnbookAPI } from '../runs/api';
import { chatTitle, isUntitled } from './chattitle';
import type { IOpenChats } from './openchats';
import { sourceText } from './recovery/source';

/** What a chat is called, and where its file is. */
export interface IChatPlace {
  title: string;
  path: string;
}

/**
 * The titles of chats by their ids; those whose file is gone are left out.
 *
 * An open chat has the title of its tab. The first message of a closed one is in the journal.
 */
export async function chatPlaces(
  ids: Iterable<string>,
  tracker: Pick<IOpenChats, 'find'>,
  api: Pick<TurnbookAPI, 'listChats' | 'listRuns'>
): Promise<Map<string, IChatPlace>> {
  const places = new Map<string, IChatPlace>();
  const closed = new Set<string>();
  for (const id of ids) {
    const chat = tracker.find(({ session }) => session.info?.chatId === id);
    if (chat) {
      const path = chat.context.localPath;
      places.set(id, { title: chatTitle(chat), path });
    } else {
      closed.add(id);
    }
  }
  if (!closed.size) {
    return places;
  }
  try {
    for (const { chatId, path, exists } of await api.listChats()) {
      if (closed.has(chatId) && exists && path !== null) {
        const runs = isUntitled(path)
          ? await api.listRuns({ chat: chatId })
          : [];
        places.set(chatId, { title: closedTitle(path, runs), path });
      }
    }
  } catch (error) {
    console.warn(
      `Turnbook: the chats cannot be listed: ${errorMessage(error)}`
    );
  }
  return places;
}

/** The title of a chat that is closed or gone, by its path, if it is known, and its runs. */
export function closedTitle(
  path: string | null,
  runs: readonly Pick<IRun, 'cell' | 'createdAt'>[]
): string {
  const name = path === null ? '' : chatName(path);
  if ((path !== null && !isUntitled(path)) || !runs.length) {
    return name;
  }
  const first = runs.reduce((a, b) => (b.createdAt < a.createdAt ? b : a));
  return shortTitle(sourceText(first)) || name;
}
