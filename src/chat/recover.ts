import type { ITranslator } from '@jupyterlab/translation';

import type { ITurnbook } from '../tokens';
import type { ChatPanel } from './panel';
import { loadReplies, recoverable, showRecovered } from './recovered';

/** Show the replies that the journal has and this chat has not, and bring back what the user wants. */
export async function recover(
  panel: ChatPanel,
  turnbook: ITurnbook,
  translator: ITranslator
): Promise<void> {
  const { session } = panel;
  const chat = session.info?.chatId;
  const present = new Set(session.context.records.map(({ id }) => id));
  const all = chat ? await turnbook.api.listRuns({ chat }) : [];
  await showRecovered({
    runs: await loadReplies(turnbook.api, recoverable(all, present)),
    onRestore: run => session.recover(run),
    translator
  });
}
