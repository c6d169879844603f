/**
 * The messages of a cell's text, and the messages stored next to it if text cannot express them.
 */
import type { IOutput } from '@jupyterlab/nbformat';
import type { PartialJSONObject } from '@lumino/coreutils';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

import type { IMessage } from '../base/message';
import { isDeepJSON, isObject } from '../base/json';
import type { ReasoningRule } from '../base/run';
import {
  isAttachment,
  messageContent,
  sentAttachments,
  type IAttachment
} from './attachments';
import { unsentPlaces } from './parts';
import { readReasoning, withReasoning, type IReasoning } from './reasoning';
import { readRound, roundMessages, type IToolRound } from './rounds';
import { shownText } from './shown';

/** A tool round and what the model thought before its calls. */
export interface ITurnRound extends IToolRound {
  reasoning?: readonly IReasoning[];
}

/** The text of a pair. */
export interface IPairText {
  user: string;
  /** What is sent with the user's text. */
  attachments?: readonly IAttachment[];
  rounds?: readonly ITurnRound[];
  reply: string;
  /** What the model thought before the reply. */
  reasoning?: readonly IReasoning[];
}

/**
 * Cell metadata `turnbook_messages`.
 *
 * The messages are one string, because Jupyter sorts the keys of JSON when it saves.
 */
export interface IKeptMessages {
  /** The messages, as JSON. */
  json: string;
  /** The hash of the messages of the cell's text; the stored ones count while it is the same. */
  textHash: string;
}

/** The text of a pair as it is read from the document. */
export interface IReadText extends Required<IPairText> {
  /** Whether a part of the turn is kept out of it. */
  isWithheld?: true;
}

/**
 * The text of a pair with this source and these outputs: everything that is shown of them, without
 * the parts that are not sent.
 */
export function readPairText(
  user: string,
  outputs: readonly IOutput[]
): IReadText {
  const unsent = unsentPlaces(outputs);
  const text = readText(user, outputs, unsent);
  return unsent.size ? { ...text, isWithheld: true } : text;
}

/** The same with the parts that are not sent, for filters and search. */
export function readShownText(
  user: string,
  outputs: readonly IOutput[]
): Required<IPairText> {
  return readText(user, outputs, new Set());
}

function readText(
  user: string,
  outputs: readonly IOutput[],
  unsent: ReadonlySet<number>
): Required<IPairText> {
  const rounds: ITurnRound[] = [];
  let reasoning: IReasoning[] = [];
  let reply = outputs;
  outputs.forEach((output, place) => {
    const isSent = !unsent.has(place);
    const thought = readReasoning(output);
    const round = thought ? null : readRound(output);
    if (thought) {
      reasoning.push(...(isSent ? [thought] : []));
    } else if (round) {
      const thinks = round.message !== null && reasoning.length > 0;
      if (isSent) {
        rounds.push(thinks ? { ...round, reasoning } : round);
      }
      // What led to calls that are not sent leads to nothing else.
      reasoning = thinks ? [] : reasoning;
    } else if (!isSent && !isAttachment(output)) {
      reply = [];
    }
  });
  const attachments = sentAttachments(outputs);
  return { user, attachments, rounds, reply: shownText(reply), reasoning };
}

/**
 * The messages of a pair's text; empty texts give none.
 *
 * Reasoning is in the message that followed it; without such a message it is not sent.
 *
 * @param rule - Which reasoning is sent.
 */
export function pairMessages(
  { user, attachments, rounds = [], reply, reasoning = [] }: IPairText,
  rule: ReasoningRule = 'always'
): IMessage[] {
  const thinks = sendsReasoning(rounds, rule);
  return [
    ...(user.trim() || attachments?.length
      ? [userMessage(user, attachments)]
      : []),
    ...rounds.flatMap(({ reasoning: before, ...round }) => {
      const [first, ...rest] = roundMessages(round);
      return thinks && round.message
        ? [withReasoning(first, before), ...rest]
        : [first, ...rest];
    }),
    ...(reply.trim()
      ? [
          withReasoning(
            { role: 'assistant', content: reply },
            thinks ? reasoning : []
          )
        ]
      : [])
  ];
}

/** A user's message. */
export function userMessage(
  text: string,
  attachments: readonly IAttachment[] = []
): IMessage {
  return { role: 'user', content: messageContent(text, attachments) };
}

/** Whether the reasoning of a turn is sent. */
export function sendsReasoning(
  rounds: readonly IToolRound[],
  rule: ReasoningRule
): boolean {
  return rule === 'rounds'
    ? rounds.some(({ message }) => message !== null)
    : rule === 'always';
}

/** The messages of a system cell's text. */
export function systemMessages(text: string): IMessage[] {
  return text.trim() ? [{ role: 'system', content: text }] : [];
}

/** Store messages next to a text that does not fully express them. */
export function keepMessages(
  messages: readonly IMessage[],
  text: readonly IMessage[]
): IKeptMessages {
  return { json: JSON.stringify(messages), textHash: hashOf(text) };
}

/**
 * The messages stored in a cell; null if there are none, or if its text was edited since.
 *
 * @param value - The cell's metadata, which is untrusted.
 * @param text - Returns the messages of the cell's current text.
 */
export function readKeptMessages(
  value: unknown,
  text: () => readonly IMessage[]
): IMessage[] | null {
  const kept = parseKept(value);
  return kept && kept.textHash === hashOf(text()) ? kept.messages : null;
}

/**
 * The messages stored in a pair; null if its text is sent.
 *
 * They would bring back a part that is not sent, so then the text is.
 *
 * @param value - The cell's metadata, which is untrusted.
 * @param text - Returns the pair's current text.
 */
export function readKeptPair(
  value: unknown,
  text: () => IReadText
): IMessage[] | null {
  const read = value === undefined ? null : text();
  return read && !read.isWithheld
    ? readKeptMessages(value, () => pairMessages(read))
    : null;
}

/** Whether metadata is valid as stored messages. */
export function isKeptMessages(value: unknown): boolean {
  return parseKept(value) !== null;
}

function parseKept(
  value: unknown
): { messages: IMessage[]; textHash: string } | null {
  if (
    !isObject(value) ||
    typeof value.json !== 'string' ||
    typeof value.textHash !== 'string' ||
    isDeepJSON(value.json)
  ) {
    return null;
  }
  let messages: unknown;
  try {
    messages = JSON.parse(value.json);
  } catch (error) {
    if (error instanceof SyntaxError) {
      return null;
    }
    throw error;
  }
  return Array.isArray(messages) && messages.every(isMessage)
    ? { messages, textHash: value.textHash }
    : null;
}

function isMessage(value: unknown): value is IMessage {
  return (
    isObject(value) && typeof (value as PartialJSONObject).role === 'string'
  );
}

function hashOf(messages: readonly IMessage[]): string {
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(messages))));
}
