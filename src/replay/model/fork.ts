/** Turns a replay into a chat of its own. */
import type { ICell, INotebookContent } from '@jupyterlab/nbformat';
import { UUID, type PartialJSONObject } from '@lumino/coreutils';

import { frameEntry } from '../../request/chatframe';
import { cellsOf, groupsOf } from '../../document/cells';
import { notebookOf } from '../../document/chatfile';
import { REPLAY_KEY } from '../../document/metadata';
import { payloadMessages, payloadOptions, shownSection } from './projection';
import type { IReplay } from './record';
import { restoreSources } from './recordreferences';

/**
 * The chat that *Start chatting from this replay* creates.
 *
 * All messages become cells and the options become the chat's own, so that its first request is the
 * payload, byte for byte, followed by the new message.
 */
export function forkNotebook(
  { record, lineage }: IReplay,
  chatId: string = UUID.uuid4()
): INotebookContent {
  const messages = payloadMessages(record.payload);
  const cells = cellsOf(messages);
  let index = 0;
  groupsOf(messages).forEach((group, place) => {
    const first = index;
    restoreSources(
      cells[place],
      (record.references ?? []).filter(({ message }) => message === first)
    );
    const sections = group.map(message =>
      shownSection(record, message, index++)
    );
    const cell = cells[place];
    cell.metadata = {
      ...cell.metadata,
      [REPLAY_KEY]: { sections } as unknown as PartialJSONObject
    };
  });
  const { model } = payloadOptions(record.payload);
  return notebookOf(cells as ICell[], {
    chatId,
    ...(typeof model === 'string'
      ? { model: `${record.provider}/${model}` }
      : {}),
    ...frameEntry(record.payload),
    lineage: { ...lineage, locked: true }
  });
}

/** The names a fork may have, in the order in which they are tried. */
export function forkName(source: string, n: number): string {
  const stem = source.replace(/(\.chat(-Copy\d*)?|\.replay)?\.ipynb$/, '');
  return `${stem}-replay${n || ''}`;
}
