/** What is compared: a list of messages with facts, wherever they come from. */
import type { PartialJSONObject } from '@lumino/coreutils';

import { canonical } from '../base/canonical';
import type { IMessage } from '../base/message';
import { contentText } from '../replay/model/projection';

/** How many sides can be compared at once. */
export const MOST = 4;

/** The metadata of a cell with a result of a rerun. */
export const RESULT_KEY = 'turnbook_result';

/** One message of a side. */
export interface ISaid {
  /** Who says it. */
  readonly role: string;
  /** Its text as it is shown. */
  readonly text: string;
  /** Equal exactly if the whole messages are. */
  readonly key: string;
  /** Whether it is part of the reply; otherwise of the request. */
  readonly isReply: boolean;
}

/** What is known about a side; null is unknown. */
export interface IFacts {
  readonly model: string | null;
  readonly options: PartialJSONObject | null;
  readonly input: number | null;
  readonly output: number | null;
  readonly seconds: number | null;
  /** Dollars. */
  readonly cost: number | null;
  /** When it was sent or ended, in milliseconds since 1970. */
  readonly at: number | null;
  /** The SHA-256 of the request. */
  readonly hash: string | null;
}

/** One side of a comparison. */
export interface ISide {
  readonly title: string;
  /** The file that it is in. */
  readonly path: string;
  readonly said: readonly ISaid[];
  readonly facts: IFacts;
  /** What a reader must know about it, as texts. */
  readonly notes: readonly string[];
}

/** Nothing is known. */
export const NO_FACTS: IFacts = {
  model: null,
  options: null,
  input: null,
  output: null,
  seconds: null,
  cost: null,
  at: null,
  hash: null
};

/** Messages as they are compared. */
export function saidOf(
  messages: readonly IMessage[],
  isReply: boolean
): ISaid[] {
  return messages.map(message => ({
    role: String(message.role),
    text: messageText(message),
    key: canonical(message),
    isReply
  }));
}

/** The text of a message: its content, and what else it has, as JSON. */
function messageText(message: IMessage): string {
  const { role: _, content: __, ...rest } = message;
  const more = Object.keys(rest).length ? JSON.stringify(rest, null, 2) : '';
  return [contentText(message), more].filter(text => text).join('\n\n');
}
