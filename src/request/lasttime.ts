/**
 * What of a request is the same as in the last one to that model: providers that cache prompts read
 * only the rest anew.
 */
import {
  JSONExt,
  type ReadonlyPartialJSONObject,
  type ReadonlyPartialJSONValue
} from '@lumino/coreutils';

import { isObject } from '../base/json';
import type { IMessage } from '../base/message';
import { messageJSON } from './render';

/** A request as providers read it: the frame first, then the messages. */
export interface IReadRequest {
  readonly frame: ReadonlyPartialJSONObject;
  readonly messages: readonly IMessage[];
}

/** How two requests begin. */
export interface ISameBeginning {
  /** How many messages at the beginning are the same. */
  readonly messages: number;
  /** The option that differs, so that nothing is the same; null if none does. */
  readonly option: string | null;
}

/** What a model reads before the messages, or what changes how it reads them. */
const READ_FIRST = [
  'tools',
  'functions',
  'tool_choice',
  'function_call',
  'response_format',
  'reasoning',
  'reasoning_effort',
  'thinking',
  'chat_template_kwargs'
];

/** The request in a body; null if it is none. */
export function readRequest(body: string): IReadRequest | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch (error) {
    if (error instanceof SyntaxError) {
      return null;
    }
    throw error;
  }
  if (!isObject(parsed) || !Array.isArray(parsed.messages)) {
    return null;
  }
  const { messages, ...frame } = parsed;
  return messages.every(isObject)
    ? { frame, messages: messages as unknown as IMessage[] }
    : null;
}

/** How a request begins, compared with the last one to the same model. */
export function sameBeginning(
  last: IReadRequest,
  now: IReadRequest
): ISameBeginning {
  const option =
    READ_FIRST.find(key => !sameValue(last.frame[key], now.frame[key])) ?? null;
  if (option !== null) {
    return { messages: 0, option };
  }
  const length = Math.min(last.messages.length, now.messages.length);
  let messages = 0;
  while (
    messages < length &&
    isSame(now.messages[messages], last.messages[messages])
  ) {
    messages++;
  }
  return { messages, option };
}

/**
 * The messages that the last request had, too, but that come after the first difference, so that
 * they are read anew.
 */
export function readAgain(last: IReadRequest, now: IReadRequest): IMessage[] {
  const { messages } = sameBeginning(last, now);
  const known = new Set(last.messages.slice(messages).map(messageJSON));
  return now.messages
    .slice(messages)
    .filter(message => known.has(messageJSON(message)));
}

/** Whether two messages say the same; compared once for each pair of objects. */
function isSame(message: IMessage, other: IMessage): boolean {
  const known = compared.get(message);
  if (known?.other === other) {
    return known.same;
  }
  const same =
    messageJSON(message) === messageJSON(other) ||
    JSONExt.deepEqual(message, other);
  compared.set(message, { other, same });
  return same;
}

const compared = new WeakMap<IMessage, { other: IMessage; same: boolean }>();

function sameValue(
  a: ReadonlyPartialJSONValue | undefined,
  b: ReadonlyPartialJSONValue | undefined
): boolean {
  return JSONExt.deepEqual(a ?? null, b ?? null);
}
