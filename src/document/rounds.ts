/**
 * Tool rounds of a pair: a model's calls and their results, as notebook outputs, and back.
 */
import type { IDisplayData, IOutput } from '@jupyterlab/nbformat';
import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

import type { IMessage } from '../base/message';
import { isObject, restored, storable } from '../base/json';

/** The type of the outputs that hold tool calls and their results. */
export const TOOL_MIME = 'application/vnd.turnbook.tool+json';

/** One round: what the model called, and what the tools answered. */
export interface IToolRound {
  /** The message with the calls; null for results that no call stands before. */
  message: IMessage | null;
  results: IMessage[];
}

/** Which run brought a round, and whether it is all of it. */
export interface IRoundOrigin {
  runId: string;
  partial: boolean;
}

/** A call as it is shown; its parts are text whatever a provider or a file made of them. */
export interface IToolCall {
  id: string;
  name: string;
  /** The arguments as they came, which need not be JSON. */
  arguments: string;
  /** What else is sent with it, as JSON; empty if nothing is. */
  more: string;
}

/** The rounds among a cell's outputs, in order. */
export function readRounds(outputs: readonly IOutput[]): IToolRound[] {
  return outputs.flatMap(output => readRound(output) ?? []);
}

/** The round that an output holds; null if there is none that can be read. */
export function readRound(output: IOutput): IToolRound | null {
  return isObject(output.data) ? parseRound(output.data[TOOL_MIME]) : null;
}

/** Read a round that anybody may have written; null if there is nothing in it to send. */
export function parseRound(value: unknown): IToolRound | null {
  if (!isObject(value)) {
    return null;
  }
  const message =
    isObject(value.message) && hasCalls(value.message)
      ? ordered({ ...restored(value.message), role: 'assistant' })
      : null;
  const results = Array.isArray(value.results)
    ? value.results
        .filter(isObject)
        .map(result => ordered({ ...restored(result), role: 'tool' }))
    : [];
  return message || results.length ? { message, results } : null;
}

/** The messages of a round, in the order in which providers want them. */
export function roundMessages({ message, results }: IToolRound): IMessage[] {
  return message ? [message, ...results] : results;
}

/** Whether a message calls tools. */
export function hasCalls(message: PartialJSONObject): boolean {
  const calls = message.tool_calls;
  return Array.isArray(calls) && calls.length > 0 && calls.every(isObject);
}

/** The calls of a round's message. */
export function callsOf({ message }: IToolRound): IToolCall[] {
  return (message?.tool_calls ?? []).map(call => {
    const { id, type, function: made, ...rest } = call;
    const { name, arguments: given, ...inside } = isObject(made) ? made : {};
    const more = {
      ...rest,
      ...inside,
      ...(type === 'function' ? {} : { type })
    };
    return {
      id: textOf(id),
      name: textOf(name),
      arguments: textOf(given),
      more: jsonOrNone(more)
    };
  });
}

/** What a round's message says besides its text and its calls, as JSON; empty if nothing. */
export function moreOf({ message }: IToolRound): string {
  const { role, content, tool_calls, ...more } = message ?? { role: '' };
  return jsonOrNone(more);
}

/** The result of each call, null where there is none yet, and the results that belong to no call. */
export function answersOf(round: IToolRound): {
  answers: (IMessage | null)[];
  rest: IMessage[];
} {
  const rest = [...round.results];
  const answers = callsOf(round).map(({ id }) => {
    const at = rest.findIndex(result => result.tool_call_id === id);
    return at === -1 ? null : rest.splice(at, 1)[0];
  });
  return { answers, rest };
}

/** The calls of a round that have no result yet. */
export function openCalls(round: IToolRound): IToolCall[] {
  const { answers } = answersOf(round);
  return callsOf(round).filter((_, place) => answers[place] === null);
}

/**
 * The output that stands for a round.
 *
 * @param origin - The run that brought it, if one did, and whether it was cut off.
 */
export function roundOutput(
  round: IToolRound,
  origin: IRoundOrigin | null = null
): IDisplayData {
  const { message, results } = round;
  return {
    output_type: 'display_data',
    data: {
      [TOOL_MIME]: storable({
        ...(message ? { message } : {}),
        results
      } as unknown as PartialJSONObject),
      'text/plain': roundText(round)
    },
    metadata: origin
      ? {
          turnbook: {
            runId: origin.runId,
            ...(origin.partial ? { partial: true } : {})
          }
        }
      : {}
  };
}

/** A round as text, for whoever reads the notebook without Turnbook. */
export function roundText(round: IToolRound): string {
  const { message, results } = round;
  const calls = callsOf(round);
  const said = textOf(message?.content ?? '');
  const names = new Map(calls.map(({ id, name }) => [id, name]));
  return [
    ...(said.trim() ? [cut(said)] : []),
    ...calls.map(
      ({ name, arguments: given }) =>
        `Tool call: ${name}\n${cut(prettyJSON(given))}`
    ),
    ...results.map(result => {
      const id = textOf(result.tool_call_id ?? '');
      return `Result of ${names.get(id) ?? id}:\n${cut(textOf(result.content ?? ''))}`;
    })
  ].join('\n\n');
}

/** JSON with line breaks and indents; a text that is no JSON as it is. */
export function prettyJSON(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch (error) {
    if (error instanceof SyntaxError) {
      return text;
    }
    throw error;
  }
}

/**
 * A value with its keys in one order, whatever order a file gave them: Jupyter sorts the keys of
 * what it saves, and the bytes that are sent must not depend on that.
 */
export function ordered<T extends PartialJSONValue>(value: T): T;
export function ordered(value: PartialJSONObject & { role: string }): IMessage;
export function ordered(value: PartialJSONValue): PartialJSONValue {
  if (Array.isArray(value)) {
    return value.map(item => ordered(item));
  }
  if (!isObject(value)) {
    return value;
  }
  const keys = Object.keys(value).sort(
    (a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)
  );
  const entries = keys.map(key => [key, ordered(value[key] ?? null)] as const);
  return Object.fromEntries(entries) as PartialJSONObject;
}

/** As OpenAI's clients write messages and calls; what is not named follows by its letters. */
const ORDER = [
  'role',
  'tool_call_id',
  'id',
  'type',
  'name',
  'content',
  'tool_calls',
  'function',
  'arguments'
];

/** A text rendition is for reading; the data beside it has everything. */
const READABLE = 4_000;

function rank(key: string): number {
  const place = ORDER.indexOf(key);
  return place === -1 ? ORDER.length : place;
}

function cut(text: string): string {
  return text.length > READABLE
    ? `${text.slice(0, READABLE)}… (${text.length} characters)`
    : text;
}

function jsonOrNone(value: PartialJSONObject): string {
  return Object.keys(value).length ? JSON.stringify(value) : '';
}

/** A value as text: a string as it is, all else as JSON. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) {
    return '';
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}
