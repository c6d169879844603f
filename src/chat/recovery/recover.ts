import type { ITranslator } from '@jupyterlab/translation';

import { trans } from '../../base/words';
import { landedRuns } from '../../document/landing';
import { isChatId } from '../../document/metadata';
import type { ITurnbook } from '../../runs/tokens';
import type { ChatPanel } from '../panel';
import { closedTitle } from '../titles';
import { showRecovered } from './recovered';
import {
  loadReplies,
  recoverable,
  type IRecoveredRun
} from '../../session/recovery';

export interface IRecoverOptions {
  /** The current chat, if any. */
  panel: ChatPanel | null;
  turnbook: ITurnbook;
  /** Create and open a chat, for replies whose chat is gone. */
  newChat: () => Promise<ChatPanel | null>;
  translator: ITranslator;
}

/**
 * Show the replies that are in the journal but in no notebook: those missing from the current chat,
 * and those of chats whose file is gone. Restore what the user selects.
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
        await panel!.session.actions.recover(run);
        return;
      }
      panel ??= made = await newChat();
      if (!panel) {
        throw new Error(
          trans.__('No chat could be made. The reply stays in this list.')
        );
      }
      await panel.session.actions.adopt(orphan);
    },
    translator
  });
  // The dialog returns the focus to where it was before the new chat.
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
 * The replies of chats whose file is gone, each with the path it had. If a chat is open, only those
 * that were never in a file: the others were deleted with theirs.
 */
async function orphanReplies(
  { api }: ITurnbook,
  panel: ChatPanel | null
): Promise<IRecoveredRun[]> {
  const here = panel?.session.info?.chatId;
  const notebook = panel?.model?.sharedModel;
  const adopted = notebook ? landedRuns(notebook) : new Set<string>();
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
      const title = closedTitle(path, runs) || chatId;
      const from = { title, path: path ?? chatId };
      return replies.map(item => ({ ...item, from }));
    })
  );
  return lists.flat();
}
