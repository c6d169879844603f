/**
 * New chats as notebook content.
 */
import type { ICell, ICodeCell, INotebookContent } from '@jupyterlab/nbformat';
import { UUID, type PartialJSONObject } from '@lumino/coreutils';

import { attachmentOutput, type IAttachment } from './attachments';
import { FORMAT, KEYS, type IRunInfo } from './metadata';

/** The extension of a chat's file. */
export const CHAT_EXTENSION = '.chat.ipynb';

/** Which file names are chats; *Duplicate* makes `x.chat-Copy1.ipynb`. */
export const CHAT_PATTERN = '\\.chat(-Copy\\d*)?\\.ipynb$';

/**
 * A chat before its first message.
 *
 * It has one empty cell, which JupyterLab would otherwise add, making a file that was just opened
 * look changed.
 */
export function emptyChat(
  model?: string,
  entries: PartialJSONObject = {}
): INotebookContent {
  const first = {
    cell_type: 'code',
    id: UUID.uuid4(),
    execution_count: null,
    metadata: {},
    outputs: [],
    source: ''
  };
  return notebookOf([first], {
    chatId: UUID.uuid4(),
    ...(model ? { model } : {}),
    ...entries
  });
}

/** A Turnbook file with these cells and these entries in its metadata. */
export function notebookOf(
  cells: ICell[],
  entries: PartialJSONObject
): INotebookContent {
  return {
    cells,
    metadata: {
      // JupyterLab would add this and mark the file as changed.
      kernelspec: { name: '', display_name: '' },
      // Makes every viewer highlight the messages as Markdown.
      language_info: { name: 'markdown' },
      [KEYS.notebook]: { format: FORMAT, ...entries }
    },
    nbformat: 4,
    nbformat_minor: 5
  } as unknown as INotebookContent;
}

/** A pair's cell, before its reply. */
export function pairCell(
  id: string,
  source: string,
  run: IRunInfo,
  marks: { topic?: string } = {},
  attachments: readonly IAttachment[] = []
): ICodeCell {
  return {
    cell_type: 'code',
    id,
    execution_count: null,
    metadata: {
      ...(Object.keys(marks).length ? { [KEYS.marks]: marks } : {}),
      [KEYS.run]: run
    },
    outputs: attachments.map(attachmentOutput),
    source
  } as unknown as ICodeCell;
}
