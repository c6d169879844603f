/**
 * From the visible cells to the messages that the model gets.
 */
import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

import type { IdRange, PairState } from '../document/metadata';

/** A message as the provider reads it; keys that Turnbook does not know are kept. */
export interface IMessage {
  role: string;
  content?: string | PartialJSONObject[] | null;
  name?: string;
  tool_calls?: PartialJSONObject[];
  tool_call_id?: string;
  [key: string]: PartialJSONValue | undefined;
}

/** What a visible cell brings into the context. */
export type ContextCell =
  | { kind: 'system'; id: string; text: string }
  | {
      kind: 'pair';
      id: string;
      user: string;
      reply: string;
      state: PairState;
    }
  | { kind: 'note'; id: string };

/** The messages of a request and the cells they came from. */
export interface IContext {
  messages: IMessage[];
  /** Ids of the cells that gave at least one message, in order. */
  cells: string[];
}

/** What follows a partial reply that the user stopped. */
export const INTERRUPTED = '[INTERRUPTED]';

/**
 * Gather the context: the visible cells from top to bottom, then the new message.
 *
 * Notes, empty texts, error texts and marks are never sent. A partial reply is sent as it
 * stands, and with a sentinel after it if the user stopped it.
 */
export function gatherContext(
  visible: Iterable<ContextCell>,
  message: string,
  sentinel = INTERRUPTED
): IContext {
  const messages: IMessage[] = [];
  const cells: string[] = [];
  for (const cell of visible) {
    const before = messages.length;
    if (cell.kind === 'system' && cell.text.trim()) {
      messages.push({ role: 'system', content: cell.text });
    } else if (cell.kind === 'pair') {
      if (cell.user.trim()) {
        messages.push({ role: 'user', content: cell.user });
      }
      const reply = sentReply(cell, sentinel);
      if (reply) {
        messages.push({ role: 'assistant', content: reply });
      }
    }
    if (messages.length > before) {
      cells.push(cell.id);
    }
  }
  messages.push({ role: 'user', content: message });
  return { messages, cells };
}

/**
 * Ids as runs of neighbours in the document; a list of ids would swamp a long chat.
 */
export function idRanges(
  ids: readonly string[],
  order: readonly string[]
): IdRange[] {
  const place = new Map(order.map((id, index) => [id, index]));
  const ranges: IdRange[] = [];
  let last = -2;
  for (const id of ids) {
    const index = place.get(id) ?? -2;
    const range = ranges[ranges.length - 1];
    if (range && index === last + 1) {
      range[1] = id;
      range[2] += 1;
    } else {
      ranges.push([id, id, 1]);
    }
    last = index;
  }
  return ranges;
}

function sentReply(
  cell: { reply: string; state: PairState },
  sentinel: string
): string {
  if (!cell.reply.trim()) {
    return '';
  }
  return cell.state === 'canceled' && sentinel
    ? `${cell.reply}\n\n${sentinel}`
    : cell.reply;
}
