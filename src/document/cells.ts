/**
 * Any messages as notebook cells.
 *
 * The law: what is gathered from these cells is these messages, byte for byte. A cell is first
 * written as text; where reading that back gives something else, the messages are kept beside it.
 */
import type { ISharedCell } from '@jupyter/ydoc';
import type { ICell, ICodeCell, IRawCell } from '@jupyterlab/nbformat';
import {
  UUID,
  type PartialJSONObject,
  type PartialJSONValue
} from '@lumino/coreutils';

import type { IMessage } from '../base/message';
import { isObject, wellFormed, wellFormedJSON } from '../base/json';
import { KEYS } from './metadata';
import {
  keepMessages,
  pairMessages,
  readKeptMessages,
  systemMessages,
  type IPairText
} from './messages';
import { Pair } from './pair';
import { hasCalls, ordered, roundOutput, type IToolRound } from './rounds';

/** Write messages as cells, one for each group. */
export function cellsOf(
  messages: readonly IMessage[],
  newId: () => string = () => UUID.uuid4()
): ICell[] {
  return groupsOf(messages).map(group => cellOf(group, newId()));
}

/**
 * Messages by the cells that they stand in: a pair is a user's message, the tool rounds after it
 * and the reply; everything else stands alone. Two messages of the assistant never share a cell
 * unless the results of tools stand between them.
 */
export function groupsOf(messages: readonly IMessage[]): IMessage[][] {
  const groups: IMessage[][] = [];
  let before: IMessage | null = null;
  for (const message of messages) {
    if (before && continues(before, message)) {
      groups[groups.length - 1].push(message);
    } else {
      groups.push([message]);
    }
    before = message;
  }
  return groups;
}

/** Whether a message stands in the same cell as the one before it. */
function continues(before: IMessage, { role }: IMessage): boolean {
  const isOpen = before.role === 'user' || before.role === 'tool';
  return (
    (role === 'assistant' && isOpen) ||
    (role === 'tool' &&
      (isOpen || (before.role === 'assistant' && hasCalls(before))))
  );
}

/** What a reader must be told of a cell that is sent as the messages it keeps. */
export interface IKeptNote {
  messages: readonly IMessage[];
  /** Whether the text is what these messages look like as text; a file may say anything. */
  isShown: boolean;
}

/**
 * How a cell that keeps messages differs from its text; null if its text is what is sent.
 *
 * @param value - The cell's metadata, which anybody may have written.
 * @param text - Tells what the cell's text says now.
 */
export function keptNote(
  value: unknown,
  text: () => readonly IMessage[]
): IKeptNote | null {
  const messages = value === undefined ? null : readKeptMessages(value, text);
  return (
    messages && {
      messages,
      isShown: JSON.stringify(textOf(messages)) === JSON.stringify(text())
    }
  );
}

/** The same of a cell of the document. */
export function cellNote(cell: ISharedCell): IKeptNote | null {
  const pair = Pair.of(cell);
  return keptNote(cell.getMetadata(KEYS.messages), () =>
    pair ? pairMessages(pair.text) : systemMessages(cell.getSource())
  );
}

/** What remains of messages that are written as the text of one cell. */
function textOf(messages: readonly IMessage[]): IMessage[] {
  const groups = groupsOf(messages);
  if (groups.length !== 1) {
    return [];
  }
  const [group] = groups;
  return isPair(group)
    ? pairMessages(pairText(group))
    : systemMessages(rawText(group));
}

/** Write one group of messages as a cell. */
export function cellOf(group: readonly IMessage[], id: string): ICell {
  return isPair(group) ? pairCell(group, id) : rawCell(group, id);
}

function pairCell(group: readonly IMessage[], id: string): ICodeCell {
  const text = pairText(group);
  return {
    cell_type: 'code',
    id,
    execution_count: null,
    metadata: keptBeside(group, pairMessages(text)),
    source: text.user,
    outputs: [
      ...text.rounds.map(round => roundOutput(round)),
      ...(text.reply
        ? [
            {
              output_type: 'display_data',
              data: { 'text/markdown': text.reply },
              metadata: {}
            }
          ]
        : [])
    ]
  };
}

function rawCell(group: readonly IMessage[], id: string): IRawCell {
  const source = rawText(group);
  return {
    cell_type: 'raw',
    id,
    metadata: keptBeside(group, systemMessages(source)),
    source
  };
}

function rawText([{ role, content }]: readonly IMessage[]): string {
  const said = readable(content);
  return sourceText(
    role === 'system' || role === 'developer' ? said : `${role}: ${said}`
  );
}

/** What the metadata of a cell must hold so that its group is what is gathered. */
function keptBeside(
  group: readonly IMessage[],
  text: readonly IMessage[]
): PartialJSONObject {
  return JSON.stringify(group) === JSON.stringify(text)
    ? {}
    : { [KEYS.messages]: { ...keepMessages(group, text) } };
}

/** A group as text that a notebook can hold; perhaps not all that it says. */
function pairText(group: readonly IMessage[]): Required<IPairText> {
  const text = { user: '', rounds: [] as IToolRound[], reply: '' };
  for (const message of group) {
    const { role, content } = message;
    if (role === 'user') {
      text.user = sourceText(readable(content));
    } else if (role === 'tool') {
      const last = text.rounds[text.rounds.length - 1];
      const result = ordered(wellFormedJSON(message));
      if (last) {
        last.results.push(result);
      } else {
        text.rounds.push({ message: null, results: [result] });
      }
    } else if (hasCalls(message)) {
      const call = ordered(wellFormedJSON(message));
      text.rounds.push({ message: call, results: [] });
    } else {
      text.reply = wellFormed(readable(content));
    }
  }
  return text;
}

function isPair(group: readonly IMessage[]): boolean {
  return ['user', 'assistant', 'tool'].includes(group[0].role);
}

/** A message's content for the eyes. */
function readable(content: IMessage['content']): string {
  if (typeof content === 'string') {
    return content;
  }
  return Array.isArray(content) ? content.map(readablePart).join('\n\n') : '';
}

function readablePart(part: PartialJSONValue): string {
  if (!isObject(part)) {
    return JSON.stringify(part);
  }
  if (typeof part.text === 'string') {
    return part.text;
  }
  const type = typeof part.type === 'string' ? part.type : 'part';
  return `[${type.replace('_url', '')}]`;
}

/** Editors know one kind of line break. */
function sourceText(text: string): string {
  return wellFormed(text).replace(/\r\n?/g, '\n');
}
