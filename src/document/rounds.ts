/**
 * Tool rounds of a pair: a model's calls and their results, as notebook outputs, and back.
 */
import type { IDisplayData, IOutput } from '@jupyterlab/nbformat';
import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

import type { IMessage } from '../base/message';
import { isDeepJSON, isObject, restored, storable } from '../base/json';
import type { IUsage } from './usage';

/** The MIME type of outputs with tool calls and their results. */
export const TOOL_MIME = 'application/vnd.turnbook.tool+json';

/** One round: the model's calls and the tools' results. */
export interface IToolRound {
  /** The message with the calls; null for results without a call. */
  message: IMessage | null;
  results: IMessage[];
}

/** The run of a round, and whether it is complete. */
export interface IRoundOrigin extends IRoundUsage {
  runId: string;
  partial: boolean;
}

/** What the run of a round took: the pair's metadata is that of its last run alone. */
export interface IRoundUsage {
  /** Provider and model. */
  model?: string;
  usage?: IUsage;
}

/** A call for display; its parts are always text, whatever a provider or a file contains. */
export interface IToolCall {
  id: string;
  name: string;
  /** The arguments as received, which need not be JSON. */
  arguments: string;
  /** Everything else in the call, as JSON; empty if there is nothing. */
  more: string;
}

/** The rounds among a cell's outputs, in order. */
export function readRounds(outputs: readonly IOutput[]): IToolRound[] {
  return outputs.flatMap(output => readRound(output) ?? []);
}

/** The round in an output; null if there is no valid one. */
export function readRound(output: IOutput): IToolRound | null {
  return isObject(output.data) ? parseRound(output.data[TOOL_MIME]) : null;
}

/** Parse an untrusted round; null if it has nothing to send. */
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

/** The messages of a round, in the order that providers expect. */
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

/** Everything in a round's message besides text and calls, as JSON; empty if there is nothing. */
export function moreOf({ message }: IToolRound): string {
  const { role, content, tool_calls, ...more } = message ?? { role: '' };
  return jsonOrNone(more);
}

/** The result of each call, null if there is none yet, and the results without a call. */
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
 * The output for a round.
 *
 * @param origin - Its run, if there is one, and whether it was interrupted.
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
            ...(origin.partial ? { partial: true } : {}),
            ...(origin.model ? { model: origin.model } : {}),
            ...(origin.usage ? { usage: origin.usage } : {})
          }
        }
      : {}
  };
}

/** What the run of a round took, as far as its output says. */
export function roundUsage({ metadata }: IOutput): IRoundUsage {
  const entry = isObject(metadata) ? metadata.turnbook : undefined;
  const { model, usage } = isObject(entry) ? entry : {};
  return {
    ...(typeof model === 'string' ? { model } : {}),
    ...(isObject(usage) ? { usage } : {})
  };
}

/** A round as text, for readers of the notebook without Turnbook. */
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

/** JSON with line breaks and indentation; text that is not JSON, or too deep, stays as it is. */
export function prettyJSON(text: string): string {
  if (isDeepJSON(text)) {
    return text;
  }
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
 * A value with its keys in a canonical order, whatever order a file has: Jupyter sorts keys when it
 * saves, and the bytes that are sent must not depend on that.
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

/** The order that OpenAI's clients use; other keys follow alphabetically. */
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

/** The text form is for reading and truncated; the data next to it is complete. */
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

/** A value as text: strings unchanged, everything else as JSON. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) {
    return '';
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}
