/**
 * Writes any messages as notebook cells.
 *
 * The law: gathering these cells gives these messages, byte for byte. A cell is first written as
 * text; if reading that back gives something else, the messages are stored next to it.
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
import { attachmentOutput, readContent, type IAttachment } from './attachments';
import { KEYS } from './metadata';
import {
  keepMessages,
  pairMessages,
  readKeptMessages,
  systemMessages,
  type IPairText,
  type ITurnRound
} from './messages';
import { Pair } from './pair';
import { reasoningOutput, splitReasoning, type IReasoning } from './reasoning';
import { hasCalls, ordered, roundOutput } from './rounds';

/** Write messages as cells, one for each group. */
export function cellsOf(
  messages: readonly IMessage[],
  newId: () => string = () => UUID.uuid4()
): ICell[] {
  return groupsOf(messages).map(group => cellOf(group, newId()));
}

/**
 * Group messages by cell: a pair is a user's message, the tool rounds after it and the reply;
 * everything else is a cell of its own. Two assistant messages never share a cell unless tool
 * results are between them.
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

/** Whether a message is in the same cell as the one before it. */
function continues(before: IMessage, { role }: IMessage): boolean {
  const isOpen = before.role === 'user' || before.role === 'tool';
  return (
    (role === 'assistant' && isOpen) ||
    (role === 'tool' &&
      (isOpen || (before.role === 'assistant' && hasCalls(before))))
  );
}

/** What a reader must know about a cell whose stored messages are sent. */
export interface IKeptNote {
  messages: readonly IMessage[];
  /** Whether the text is the text form of these messages; a file may claim anything. */
  isShown: boolean;
}

/**
 * How a cell with stored messages differs from its text; null if its text is sent.
 *
 * @param value - The cell's metadata, which is untrusted.
 * @param text - Returns the messages of the cell's current text.
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

/** The same for a cell of the document. */
export function cellNote(cell: ISharedCell): IKeptNote | null {
  const pair = Pair.of(cell);
  const stored = cell.getMetadata(KEYS.messages);
  if (!pair) {
    return keptNote(stored, () => systemMessages(cell.getSource()));
  }
  // Most pairs have none, and their text need not be read for that.
  const text = stored === undefined ? null : pair.text;
  return text && !text.isWithheld
    ? keptNote(stored, () => pairMessages(text))
    : null;
}

/** What remains of messages when they are written as the text of one cell. */
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
      ...text.attachments.map(attachmentOutput),
      ...text.rounds.flatMap(({ reasoning = [], ...round }) => [
        ...reasoning.map(thought => reasoningOutput(thought)),
        roundOutput(round)
      ]),
      ...text.reasoning.map(thought => reasoningOutput(thought)),
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

/**
 * The metadata that a cell needs so that gathering it gives its group.
 *
 * Which reasoning is sent depends on the provider, so that a group with some is always kept.
 */
function keptBeside(
  group: readonly IMessage[],
  text: readonly IMessage[]
): PartialJSONObject {
  const thinks = group.some(
    message => splitReasoning(message).reasoning.length
  );
  return !thinks && JSON.stringify(group) === JSON.stringify(text)
    ? {}
    : { [KEYS.messages]: { ...keepMessages(group, text) } };
}

/** A group as text; it may not express everything. */
function pairText(group: readonly IMessage[]): Required<IPairText> {
  const text = {
    user: '',
    attachments: [] as IAttachment[],
    rounds: [] as ITurnRound[],
    reply: '',
    reasoning: [] as IReasoning[]
  };
  for (const whole of group) {
    const { message, reasoning } =
      whole.role === 'assistant'
        ? splitReasoning(whole)
        : { message: whole, reasoning: [] };
    const { role, content } = message;
    if (role === 'user') {
      const attached = readContent(content);
      text.user = sourceText(attached?.text ?? readable(content));
      text.attachments = attached?.attachments ?? [];
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
      text.rounds.push({
        message: call,
        results: [],
        ...(reasoning.length ? { reasoning } : {})
      });
    } else {
      text.reply = wellFormed(readable(content));
      text.reasoning = reasoning;
    }
  }
  return text;
}

function isPair(group: readonly IMessage[]): boolean {
  return ['user', 'assistant', 'tool'].includes(group[0].role);
}

/** A message's content in readable form. */
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

/** Editors know only one kind of line break. */
function sourceText(text: string): string {
  return wellFormed(text).replace(/\r\n?/g, '\n');
}
