/**
 * Turnbook's metadata in a notebook, read defensively: a hand-edited or foreign file may contain
 * anything under these keys, and invalid values count as absent.
 */
import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

import { trans } from '../base/words';
import type { ISeam } from '../base/joining';
import { ERROR_TYPES, type ErrorType } from '../base/run';
import { isObject } from '../base/json';
import { isKeptMessages } from './messages';
import { readSibling } from './siblingmark';
import type { IUsage } from './usage';

/** The version of the document format that this code writes. */
export const FORMAT = 1;

/** The key of a cell that came with a replay, and of its outputs there. */
export const REPLAY_KEY = 'turnbook_replay';

/** Metadata keys; separate, because one object would lose concurrent changes. */
export const KEYS = {
  notebook: 'turnbook',
  marks: 'turnbook',
  run: 'turnbook_run',
  versions: 'turnbook_versions',
  messages: 'turnbook_messages',
  choice: 'turnbook_choice',
  edits: 'turnbook_edits',
  replay: REPLAY_KEY
} as const;

/** Keys that are no options: the chat has its own model, and Turnbook always streams. */
export const RESERVED_OPTIONS: readonly string[] = [
  'model',
  'messages',
  'stream',
  'stream_options'
];

/** Whether a metadata key is one of ours. */
export function isOwnKey(key: string): boolean {
  return Object.values<string>(KEYS).includes(key);
}

/** The state of a pair. */
export type PairState =
  'idle' | 'sending' | 'awaiting' | 'succeeded' | 'error' | 'canceled';

const PAIR_STATES: readonly string[] = [
  'idle',
  'sending',
  'awaiting',
  'succeeded',
  'error',
  'canceled'
];

/** The user's marks on a pair. */
export interface IMarks {
  topic?: string;
  star?: number;
  in?: boolean;
}

/** An error as the pair reports it. */
export interface IPairError {
  type: ErrorType;
  code: string;
  status: number | null;
  message: string;
}

/** How much of a request was edited before it was sent. */
export interface IEditMark {
  /** Sections that were changed or moved. */
  sections: number;
  deleted: number;
  added: number;
  options: number;
}

/** What was left out of a request because it did not fit. */
export interface ITrimMark {
  /** The number of visible pairs left out. */
  pairs: number;
  /** The approximate number of tokens that were sent. */
  tokens: number;
}

/** A range of cell ids in a context: first, last, count. */
export type IdRange = [string, string, number];

/** The metadata of a pair's last run. */
export interface IRunInfo {
  state: PairState;
  model: string;
  options?: PartialJSONObject;
  createdAt: number;
  updatedAt: number;
  runId: string;
  attempt: number;
  context: IdRange[];
  requestHash: string;
  /** Absent if the cells were sent unedited. */
  edited?: IEditMark;
  /** Absent if everything visible fitted. */
  trimmed?: ITrimMark;
  usage?: IUsage;
  /** How long the last attempt took. */
  seconds?: number;
  /** Where the reply was joined from several attempts. */
  seams?: ISeam[];
  /** Why the provider ended the reply, if not because it was complete. */
  finish?: string;
  error?: IPairError;
  contextSnapshot?: { runId: string; hash: string };
  /** What this and the other replies that were asked for with it share. */
  group?: string;
  /** Which of them it is. */
  sibling?: number;
}

/** Where a chat comes from, if anywhere. */
export interface ILineage {
  copiedFrom?: string;
  [key: string]: PartialJSONValue | undefined;
}

/** The metadata of a notebook that is a chat. */
export interface IChatInfo {
  format: number;
  chatId: string;
  model?: string;
  topic?: string;
  lineage?: ILineage;
}

/** Something in a document that could not be read. */
export interface IProblem {
  /** The cell's id; null for the notebook itself. */
  cell: string | null;
  message: string;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Whether a value is a valid chat id.
 *
 * Nothing else is, here as on the server: drafts, rules and replies are found by it, and a file may
 * claim any name.
 */
export function isChatId(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/** Whether the server takes a value as the group of several replies; a file may claim any name. */
export function isGroup(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/** Read a notebook's own entry; null if it has no valid one. */
export function readChatInfo(value: unknown): IChatInfo | null {
  if (!isObject(value) || !isChatId(value.chatId)) {
    return null;
  }
  return {
    format: typeof value.format === 'number' ? value.format : FORMAT,
    chatId: value.chatId,
    ...optional('model', value.model, isString),
    ...optional('topic', value.topic, isString),
    ...optional('lineage', value.lineage, isObject)
  } as IChatInfo;
}

/** Read the run metadata of a cell; null if it has no valid one. */
export function readRunInfo(value: unknown): IRunInfo | null {
  if (!isObject(value) || !PAIR_STATES.includes(value.state as string)) {
    return null;
  }
  return {
    state: value.state as PairState,
    model: isString(value.model) ? value.model : '',
    createdAt: isNumber(value.createdAt) ? value.createdAt : 0,
    updatedAt: isNumber(value.updatedAt) ? value.updatedAt : 0,
    runId: isString(value.runId) ? value.runId : '',
    attempt: isNumber(value.attempt) ? value.attempt : 1,
    context: Array.isArray(value.context)
      ? (value.context.filter(isIdRange) as IdRange[])
      : [],
    requestHash: isString(value.requestHash) ? value.requestHash : '',
    ...optional('options', value.options, isObject),
    ...optional('edited', value.edited, isEditMark),
    ...optional('trimmed', value.trimmed, isTrimMark),
    ...optional('usage', value.usage, isObject),
    ...optional('seconds', value.seconds, isDuration),
    ...optional('seams', readSeams(value.seams), isArray),
    ...optional('finish', value.finish, isString),
    ...optional('error', readError(value.error), isObject),
    ...optional('contextSnapshot', value.contextSnapshot, isObject),
    ...readSibling(value)
  } as IRunInfo;
}

/** Read the user's marks of a cell. */
export function readMarks(value: unknown): IMarks {
  if (!isObject(value)) {
    return {};
  }
  const star = value.star;
  return {
    ...(isString(value.topic) ? { topic: value.topic } : {}),
    ...(isNumber(star) && [0, 1, 2, 3].includes(star) ? { star } : {}),
    ...(typeof value.in === 'boolean' ? { in: value.in } : {})
  };
}

/** What in these entries cannot be read, as texts for a banner. */
export function problems(
  notebook: unknown,
  cells: Iterable<{
    id: string;
    run: unknown;
    marks: unknown;
    messages: unknown;
  }>
): IProblem[] {
  const found: IProblem[] = [];
  if (notebook !== undefined) {
    const info = readChatInfo(notebook);
    if (!info) {
      found.push({
        cell: null,
        message: trans.__(
          'The notebook’s Turnbook entry cannot be read; a new chat id is made with the next message.'
        )
      });
    } else if (info.format > FORMAT) {
      found.push({
        cell: null,
        message: trans.__(
          'This chat was written by a newer Turnbook (format %1); what is new in it is kept but not shown.',
          info.format
        )
      });
    }
  }
  const options = optionsProblem(notebook);
  if (options !== null) {
    found.push({ cell: null, message: options });
  }
  for (const { id, run, marks, messages } of cells) {
    if (run !== undefined && !readRunInfo(run)) {
      found.push({
        cell: id,
        message: trans.__(
          'The state of cell %1 cannot be read; it is shown as not sent.',
          id
        )
      });
    }
    if (marks !== undefined && !isObject(marks)) {
      found.push({
        cell: id,
        message: trans.__(
          'The marks of cell %1 cannot be read; they are left as they are.',
          id
        )
      });
    }
    if (messages !== undefined && !isKeptMessages(messages)) {
      found.push({
        cell: id,
        message: trans.__(
          'The messages kept in cell %1 cannot be read; its text is sent instead.',
          id
        )
      });
    }
  }
  return found;
}

/** What in a chat's options cannot be sent with its requests; null if nothing. */
function optionsProblem(notebook: unknown): string | null {
  const options = isObject(notebook) ? notebook.options : undefined;
  if (options === undefined) {
    return null;
  }
  if (!isObject(options)) {
    return 'The options of this chat cannot be read; requests are sent without them.';
  }
  const reserved = RESERVED_OPTIONS.filter(key => Object.hasOwn(options, key));
  return reserved.length
    ? `The options of this chat include ${reserved.join(', ')}, which options cannot set; it is ignored.`
    : null;
}

function readError(value: unknown): IPairError | undefined {
  if (!isObject(value)) {
    return undefined;
  }
  return {
    type: ERROR_TYPES.find(type => type === value.type) ?? 'unknown',
    code: isString(value.code) ? value.code : 'unknown',
    status: isNumber(value.status) ? value.status : null,
    message: isString(value.message) ? value.message : ''
  };
}

function readSeams(value: unknown): ISeam[] | undefined {
  const seams = (isArray(value) ? value : []).filter(isObject).flatMap(seam =>
    isNumber(seam.at) && seam.at > 0
      ? {
          at: seam.at,
          ...(isNumber(seam.removed) ? { removed: seam.removed } : {})
        }
      : []
  );
  return seams.length ? seams : undefined;
}

function optional<K extends string>(
  key: K,
  value: unknown,
  is: (value: unknown) => boolean
): Partial<Record<K, unknown>> {
  return is(value) ? ({ [key]: value } as Record<K, unknown>) : {};
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isArray(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

function isDuration(value: unknown): value is number {
  return isNumber(value) && value >= 0;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** The number of changes in a mark. */
export function editCount(mark: IEditMark | undefined): number {
  const { sections, deleted, added, options } = mark ?? NO_EDITS;
  return sections + deleted + added + options;
}

const NO_EDITS: IEditMark = { sections: 0, deleted: 0, added: 0, options: 0 };

function isEditMark(value: unknown): boolean {
  return (
    isObject(value) && Object.keys(NO_EDITS).every(key => isCount(value[key]))
  );
}

function isTrimMark(value: unknown): boolean {
  return (
    isObject(value) &&
    isCount(value.pairs) &&
    value.pairs !== 0 &&
    isCount(value.tokens)
  );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isIdRange(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length === 3 &&
    isString(value[0]) &&
    isString(value[1]) &&
    isNumber(value[2])
  );
}
