import type { ITranslator } from '@jupyterlab/translation';

import { isChatId } from '../../document/metadata';
import type { ITurnbook } from '../../runs/tokens';
import type { ChatPanel } from '../panel';
import { showRecovered } from './recovered';
import {
  loadReplies,
  recoverable,
  type IRecoveredRun
} from '../../session/recovery';

/** What recovering needs. */
export interface IRecoverOptions {
  /** The chat in front, if there is one. */
  panel: ChatPanel | null;
  turnbook: ITurnbook;
  /** Make a new chat and open it, for replies that have nowhere to go. */
  newChat: () => Promise<ChatPanel | null>;
  translator: ITranslator;
}

/**
 * Show the replies that the journal has and no notebook has: those that are missing in the chat
 * in front, and those of chats whose file is gone. Bring back what the user wants.
 */
export async function recover(options: IRecoverOptions): Promise<void> {
  const { turnbook, newChat, translator } = options;
  let { panel } = options;
  const missing = panel ? await missingReplies(panel, turnbook) : [];
  const orphans = await orphanReplies(turnbook, panel);
  const foreign = new Map(orphans.map(item => [item.run.id, item]));
  let made: ChatPanel | null = null;
  await showRecovered({
    runs: [...missing, ...orphans],
    isChatOpen: panel !== null,
    onRestore: async run => {
      const orphan = foreign.get(run.id);
      if (!orphan) {
        await panel!.session.recover(run);
        return;
      }
      panel ??= made = await newChat();
      if (!panel) {
        throw new Error('No chat could be made. The reply stays in this list.');
      }
      await panel.session.adopt(orphan);
    },
    translator
  });
  // The dialog gives the focus back to where it was before the new chat.
  (made as ChatPanel | null)?.activate();
}

async function missingReplies(
  panel: ChatPanel,
  { api }: ITurnbook
): Promise<IRecoveredRun[]> {
  const { session } = panel;
  const chat = session.info?.chatId;
  const present = new Set(session.context.records.map(({ id }) => id));
  const all = chat ? await api.listRuns({ chat }) : [];
  return loadReplies(api, recoverable(all, present));
}

/**
 * The replies of chats whose file is gone, each with the path it had. Beside an open chat
 * only those that never were in a file: the others went with a file that somebody deleted.
 */
async function orphanReplies(
  { api }: ITurnbook,
  panel: ChatPanel | null
): Promise<IRecoveredRun[]> {
  const here = panel?.session.info?.chatId;
  const adopted = panel?.session.landedRuns ?? new Set<string>();
  const gone = (await api.listChats()).filter(
    ({ chatId, exists }) => !exists && isChatId(chatId) && chatId !== here
  );
  const lists = await Promise.all(
    gone.map(async ({ chatId, path }) => {
      const runs = await api.listRuns({ chat: chatId });
      const offered = recoverable(runs, new Set()).filter(
        ({ id, landed, dropped }) =>
          !adopted.has(id) && (!panel || (!landed && !dropped))
      );
      const replies = await loadReplies(api, offered);
      return replies.map(item => ({ ...item, from: path ?? chatId }));
    })
  );
  return lists.flat();
}
