/**
 * New chats as notebook content.
 */
import type { ICell, ICodeCell, INotebookContent } from '@jupyterlab/nbformat';
import { UUID, type PartialJSONObject } from '@lumino/coreutils';

import { FORMAT, KEYS, type IRunInfo } from './metadata';

/** The ending of a chat's file name. */
export const CHAT_EXTENSION = '.chat.ipynb';

/** Which file names are chats; *Duplicate* makes `x.chat-Copy1.ipynb`. */
export const CHAT_PATTERN = '\\.chat(-Copy\\d*)?\\.ipynb$';

/**
 * A chat before its first message.
 *
 * It has the one empty cell that JupyterLab would otherwise put into it, which would make a
 * file that was just opened look changed.
 */
export function emptyChat(model?: string): INotebookContent {
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
    ...(model ? { model } : {})
  });
}

/** A file of Turnbook with these cells and these entries of its own in the metadata. */
export function notebookOf(
  cells: ICell[],
  entries: PartialJSONObject
): INotebookContent {
  return {
    cells,
    metadata: {
      // JupyterLab would add this and call the file changed.
      kernelspec: { name: '', display_name: '' },
      // Every viewer then highlights the messages as what they are.
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
  marks: { topic?: string } = {}
): ICodeCell {
  return {
    cell_type: 'code',
    id,
    execution_count: null,
    metadata: {
      ...(Object.keys(marks).length ? { [KEYS.marks]: marks } : {}),
      [KEYS.run]: run
    },
    outputs: [],
    source
  } as unknown as ICodeCell;
}
