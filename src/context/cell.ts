/**
 * A cell of the notebook as the context reads it.
 */
import type { IOutput, MultilineString } from '@jupyterlab/nbformat';
import type { PartialJSONObject } from '@lumino/coreutils';

import { readPairText, systemMessages } from '../document/messages';
import { messagesIn, pairMessagesIn, runIn } from '../document/pair';
import { joinLines } from '../document/multiline';
import type { ContextCell } from './gather';

/** The part of a cell that is used, from a file or the shared model. */
export interface ICellLike {
  id: string;
  cell_type: string;
  source: MultilineString;
  metadata: PartialJSONObject;
  outputs?: readonly IOutput[];
}

/** Read a cell: its text, or its stored messages if the text is unchanged. */
export function readCell(cell: ICellLike): ContextCell {
  const { id, metadata, outputs = [] } = cell;
  const source = joinLines(cell.source);
  if (cell.cell_type === 'raw') {
    const messages = messagesIn(metadata, () => systemMessages(source));
    return { kind: 'system', id, text: source, ...(messages && { messages }) };
  }
  if (cell.cell_type !== 'code') {
    return { kind: 'note', id };
  }
  const text = readPairText(source, outputs);
  const messages = pairMessagesIn(metadata, text);
  const state = runIn(metadata)?.state ?? 'idle';
  return { kind: 'pair', id, ...text, state, ...(messages && { messages }) };
}
