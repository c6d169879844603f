/**
 * A readable form of a record: its messages as cells that any notebook viewer shows.
 *
 * It is derived from the record alone, and never read back into a request. `jupyter turnbook
 * verify` derives it independently, in Python, and compares.
 */
import type {
  ICell,
  IDisplayData,
  INotebookContent
} from '@jupyterlab/nbformat';
import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

import { groupsOf } from '../../document/cells';
import { isObject, wellFormed } from '../../base/json';
import { notebookOf } from '../../document/chatfile';
import { REPLAY_KEY } from '../../document/metadata';
import type { IMessage } from '../../base/message';
import type { SectionKind } from '../../base/run';
import { sessionTail, type IRecord, type IReplay } from './record';

/** What a projected cell says about one of its messages. */
export interface IShownSection {
  /** Its position among the messages of the payload. */
  index: number;
  role: string;
  kind: SectionKind;
  /** Whether it comes before the message that the request is for. */
  replayed?: true;
  edited?: true;
  added?: true;
  /** What the message has besides role, content and tool calls. */
  rest?: PartialJSONObject;
}

/** The messages of a payload; throws if it has none. */
export function payloadMessages(payload: string): IMessage[] {
  const body: unknown = JSON.parse(payload);
  const messages = isObject(body) ? body.messages : undefined;
  if (!Array.isArray(messages) || !messages.every(isObject)) {
    throw new Error('The payload has no list of messages.');
  }
  return messages as unknown as IMessage[];
}

/** Everything in a payload besides its messages. */
export function payloadOptions(payload: string): PartialJSONObject {
  const { messages: _, ...options } = JSON.parse(payload) as PartialJSONObject;
  return options;
}

/**
 * The first `cap` messages of a record as cells, grouped as in a fork: a user's message with the
 * tool rounds and the reply after it, and everything else separately.
 */
export function project(record: IRecord, cap = Infinity): ICell[] {
  let index = 0;
  return groupsOf(payloadMessages(record.payload).slice(0, cap)).map(
    (group, place) => {
      const sections = group.map(message =>
        shownSection(record, message, index++)
      );
      const { role } = sections[0];
      const isSystem = role === 'system' || role === 'developer';
      const hasSource = isSystem || role === 'user';
      return {
        cell_type: isSystem ? 'raw' : 'code',
        id: `replay-${place}`,
        metadata: { [REPLAY_KEY]: { sections } },
        source: hasSource ? contentText(group[0]) : '',
        ...(isSystem
          ? {}
          : {
              execution_count: null,
              outputs: group
                .map((message, n) => outputOf(message, sections[n]))
                .slice(hasSource ? 1 : 0)
            })
      } as unknown as ICell;
    }
  );
}

/** The notebook that *Export replay record* writes. */
export function recordNotebook({ record, lineage }: IReplay): INotebookContent {
  return notebookOf([headerCell({ record, lineage }), ...project(record)], {
    record: record as unknown as PartialJSONObject,
    lineage: lineage as unknown as PartialJSONObject
  });
}

/** What is shown where a replay was cleared, or where none is known. */
export function clearedNotebook(): INotebookContent {
  return notebookOf([], {});
}

/** What a cell of a projection says about its messages; empty for any other cell. */
export function shownSections(metadata: unknown): IShownSection[] {
  const value = isObject(metadata) ? metadata[REPLAY_KEY] : undefined;
  const sections = isObject(value) ? value.sections : undefined;
  return Array.isArray(sections)
    ? (sections.filter(isObject) as unknown as IShownSection[])
    : [];
}

/** A message's content as text. */
export function contentText({ content }: IMessage): string {
  if (content === null || content === undefined) {
    return '';
  }
  if (typeof content === 'string') {
    return wellFormed(content);
  }
  return Array.isArray(content)
    ? content.map(partText).join('\n\n')
    : fenced('json', pretty(content));
}

/** For readers of the file without Turnbook. */
function headerCell({ record, lineage }: IReplay): ICell {
  const options = payloadOptions(record.payload);
  const lines = [
    `**Replayed prompt · ${sessionTail({ record, lineage })}**`,
    '',
    'The request of a chat, message by message. The model was not called for this notebook. `jupyter turnbook verify` checks it.',
    '',
    `- Chat: \`${lineage.replay_parent_session_id}\``,
    `- Turn: \`${lineage.replay_parent_turn_id}\``,
    `- Request: \`${record.requestId}\`, version ${record.version}`,
    `- Provider: \`${record.provider}\``,
    `- SHA-256: \`${record.hash}\``,
    ...(record.loggedHash !== undefined
      ? [
          record.loggedHash === record.hash
            ? '- The same bytes were logged for the turn.'
            : `- Other bytes were logged for the turn: \`${record.loggedHash}\``
        ]
      : []),
    ...(record.trimmed
      ? [
          `- Prompt was trimmed: ${record.trimmed.pairs} pairs left out, ~${record.trimmed.tokens} tokens in it.`
        ]
      : []),
    ...(record.response
      ? [
          `- Response: status ${record.response.status}, ${record.response.size} bytes, SHA-256 \`${record.response.hash}\``
        ]
      : []),
    `- Built: ${new Date(record.at).toISOString()}`,
    '',
    fenced('json', pretty(options))
  ];
  return {
    cell_type: 'markdown',
    id: 'replay-header',
    metadata: { [REPLAY_KEY]: { sections: [] } },
    source: wellFormed(lines.join('\n'))
  } as unknown as ICell;
}

/** The kinds of sections that come before the message that the request is for, except system. */
const REPLAYED = new Set<SectionKind>(['context', 'history', 'tool']);

/** What a cell says about one message. */
export function shownSection(
  record: IRecord,
  message: IMessage,
  index: number
): IShownSection {
  const { role, content: _, tool_calls: __, ...rest } = message;
  const { kind, edited, added } = record.sections[index] ?? { kind: 'history' };
  return {
    index,
    role: wellFormed(String(role)),
    kind,
    ...(REPLAYED.has(kind) ? { replayed: true } : {}),
    ...(edited ? { edited } : {}),
    ...(added ? { added } : {}),
    ...(Object.keys(rest).length
      ? {
          rest: wellFormedValue(rest as PartialJSONObject) as PartialJSONObject
        }
      : {})
  };
}

/** One output for each message; tool calls and results are shown but never run. */
function outputOf(message: IMessage, shown: IShownSection): IDisplayData {
  const parts: string[] = [];
  const text = contentText(message);
  if (shown.role === 'tool' || shown.role === 'function') {
    parts.push('**Tool result**', fenced('', text));
  } else {
    if (shown.role !== 'assistant') {
      parts.push(`**${shown.role}**`);
    }
    if (text !== '') {
      parts.push(text);
    }
    const calls: unknown = message.tool_calls;
    for (const call of Array.isArray(calls) ? calls : []) {
      parts.push(...callText(call));
    }
  }
  return {
    output_type: 'display_data',
    data: {
      'text/markdown': parts.length ? parts.join('\n\n') : '*(empty message)*'
    },
    metadata: { [REPLAY_KEY]: { section: shown.index, role: shown.role } }
  };
}

function callText(call: PartialJSONValue): string[] {
  const made = isObject(call) && isObject(call.function) ? call.function : null;
  if (
    !made ||
    typeof made.name !== 'string' ||
    typeof made.arguments !== 'string'
  ) {
    return ['**Tool call**', fenced('json', pretty(call))];
  }
  return [
    `**Tool call** ${inline(wellFormed(made.name))}`,
    fenced('json', wellFormed(made.arguments))
  ];
}

function partText(part: PartialJSONValue): string {
  if (isObject(part) && typeof part.text === 'string') {
    return wellFormed(part.text);
  }
  const image = isObject(part) ? part.image_url : undefined;
  const url = isObject(image) ? image.url : undefined;
  // Images are described, not shown: viewing a replay must fetch nothing.
  return typeof url === 'string'
    ? `*(image: ${inline(wellFormed(url.slice(0, 60)))}, ${url.length} characters)*`
    : (fileText(part) ?? fenced('json', pretty(part)));
}

/** Where parts with files have the name and the data of one. */
const FILES = [
  { kind: 'file', key: 'file', name: 'filename', data: 'file_data' },
  { kind: 'audio', key: 'input_audio', name: 'format', data: 'data' }
];

/** A file is described like an image: its data is in the payload, once. */
function fileText(part: PartialJSONValue): string | null {
  for (const { kind, key, name, data } of FILES) {
    const inner = isObject(part) ? part[key] : undefined;
    const content = isObject(inner) ? inner[data] : undefined;
    if (isObject(inner) && typeof content === 'string') {
      const said = typeof inner[name] === 'string' ? inner[name] : '';
      return `*(${kind}: ${inline(wellFormed(said.slice(0, 60)))}, ${content.length} characters)*`;
    }
  }
  return null;
}

function pretty(value: PartialJSONValue): string {
  return wellFormed(JSON.stringify(value, null, 2));
}

/** A code block that its own text cannot close. */
function fenced(language: string, text: string): string {
  const fence = longer(text, 3);
  return `${fence}${language}\n${text}\n${fence}`;
}

function inline(text: string): string {
  const fence = longer(text, 1);
  return fence === '`' ? `\`${text}\`` : `${fence} ${text} ${fence}`;
}

function longer(text: string, least: number): string {
  const length = (text.match(/`+/g) ?? []).reduce(
    (longest, run) => Math.max(longest, run.length + 1),
    least
  );
  return '`'.repeat(length);
}

/** A file cannot contain a lone surrogate; a payload can, escaped. */
function wellFormedValue(value: PartialJSONValue): PartialJSONValue {
  if (typeof value === 'string') {
    return wellFormed(value);
  }
  if (Array.isArray(value)) {
    return value.map(item => wellFormedValue(item as PartialJSONValue));
  }
  return isObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([key, item]) => [
          wellFormed(key),
          wellFormedValue(item as PartialJSONValue)
        ])
      )
    : value;
}
