/** From the visible cells to the messages that are sent. */
import type { IMessage } from '../base/message';
import type { ReasoningRule, SectionKind } from '../base/run';
import type { IAttachment } from '../document/attachments';
import {
  pairMessages,
  systemMessages,
  userMessage,
  type IPairText
} from '../document/messages';
import type { IdRange, PairState } from '../document/metadata';

/** What a visible cell contributes to the context. */
export type ContextCell =
  | { kind: 'system'; id: string; text: string; messages?: IMessage[] }
  | (IPairText & {
      kind: 'pair';
      id: string;
      state: PairState;
      /** Its exact messages, if its text cannot express them. */
      messages?: IMessage[];
      /** Whether a part of it is kept out of what is sent. */
      isWithheld?: true;
    })
  | { kind: 'note'; id: string };

/** Where a message of a request comes from. */
export interface ISource {
  /** `cell id/role`, followed by `/n` from the second message of that role in a cell on. */
  id: string;
  kind: SectionKind;
  /** The cell that it is in; null if there is none. */
  cell: string | null;
}

/** The messages of a request and the cells they came from. */
export interface IContext {
  messages: IMessage[];
  /** Where each message comes from; the last is the new message, which has no cell yet. */
  sections: ISource[];
  /** Ids of the cells with at least one message, in order. */
  cells: string[];
}

/** Prefix of the ids of messages that plugins add, which are in no cell. */
export const PRELUDE = 'prelude:';

/** A message that is not in a cell yet. */
export interface IWritten {
  text: string;
  attachments?: readonly IAttachment[];
}

/** The section of the message being written. */
export const NEW_MESSAGE: ISource = {
  id: 'new/user',
  kind: 'user',
  cell: null
};

/** The text after a partial reply that the user stopped. */
export const INTERRUPTED = '[INTERRUPTED]';

/** What a chat's settings and its provider say about what is sent. */
export interface ISendingRules {
  /** The text after a reply that the user stopped. */
  sentinel: string;
  /** Of which turns the reasoning is sent. */
  reasoning: ReasoningRule;
}

/** The rules if nothing is set. */
export const SENDING_RULES: ISendingRules = {
  sentinel: INTERRUPTED,
  reasoning: 'rounds'
};

/**
 * Gather the context: the visible cells from top to bottom, then the new message.
 *
 * Notes, empty texts, error texts and marks are never sent. A partial reply is sent as it is,
 * followed by a sentinel if the user stopped it.
 */
export function gatherContext(
  visible: Iterable<ContextCell>,
  message: string | IWritten,
  rules: Partial<ISendingRules> = {}
): IContext {
  const all = { ...SENDING_RULES, ...rules };
  const messages: IMessage[] = [];
  const sections: ISource[] = [];
  const cells: string[] = [];
  for (const cell of visible) {
    const given = gatherCell(cell, all);
    messages.push(...given.messages);
    sections.push(...given.sections);
    if (given.messages.length && !cell.id.startsWith(PRELUDE)) {
      cells.push(cell.id);
    }
  }
  const { text, attachments } = asWritten(message);
  messages.push(userMessage(text, attachments));
  sections.push(NEW_MESSAGE);
  return { messages, sections, cells };
}

/**
 * The context of a turn that continues: the messages of its pair take the place of the new message.
 */
export function continuedContext<T extends IContext>(
  context: T,
  pair: ContextCell,
  rules: Partial<ISendingRules> = {}
): T {
  const { messages, sections } = gatherCell(pair, {
    ...SENDING_RULES,
    ...rules,
    sentinel: ''
  });
  return {
    ...context,
    messages: [...context.messages.slice(0, -1), ...messages],
    sections: [...context.sections.slice(0, -1), ...sections]
  };
}

/** A message with what is attached to it. */
export function asWritten(message: string | IWritten): IWritten {
  return typeof message === 'string' ? { text: message } : message;
}

/** The messages of one cell. */
export function cellMessages(
  cell: ContextCell,
  rules: Partial<ISendingRules> = {}
): IMessage[] {
  const { sentinel, reasoning } = { ...SENDING_RULES, ...rules };
  switch (cell.kind) {
    case 'system':
      return cell.messages ?? systemMessages(cell.text);
    case 'pair':
      return (
        cell.messages ??
        pairMessages({ ...cell, reply: sentReply(cell, sentinel) }, reasoning)
      );
    case 'note':
      return [];
  }
}

/** Ids as ranges of neighbours in the document; a plain list would be large in a long chat. */
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

/** The ids in ranges, as far as the document still has them in that order. */
export function idsOf(
  ranges: readonly IdRange[],
  order: readonly string[]
): string[] {
  const place = new Map(order.map((id, index) => [id, index]));
  return ranges.flatMap(([first, last]) => {
    const from = place.get(first) ?? place.get(last);
    const to = place.get(last) ?? from;
    return from === undefined ? [] : order.slice(from, to! + 1);
  });
}

/** What a cell contributes; the same objects until it changes, so that results can be cached. */
function gatherCell(cell: ContextCell, rules: ISendingRules): IGathered {
  let known = gathered.get(cell);
  if (!known || !sameRules(known.rules, rules)) {
    const messages = cellMessages(cell, rules);
    known = { rules, messages, sections: sourcesOf(cell.id, messages) };
    gathered.set(cell, known);
  }
  return known;
}

/** Whether rules send the same of every cell. */
export function sameRules(a: ISendingRules, b: ISendingRules): boolean {
  return a.sentinel === b.sentinel && a.reasoning === b.reasoning;
}

interface IGathered {
  rules: ISendingRules;
  messages: readonly IMessage[];
  sections: readonly ISource[];
}

const gathered = new WeakMap<ContextCell, IGathered>();

function sourcesOf(cell: string, messages: readonly IMessage[]): ISource[] {
  const added = cell.startsWith(PRELUDE);
  const seen = new Map<string, number>();
  return messages.map(message => {
    const { role } = message;
    const n = (seen.get(role) ?? 0) + 1;
    seen.set(role, n);
    return {
      id: n === 1 ? `${cell}/${role}` : `${cell}/${role}/${n}`,
      kind: added ? 'context' : kindOf(message),
      cell: added ? null : cell
    };
  });
}

/** The kind of a message of an earlier cell. */
export function kindOf(message: IMessage): SectionKind {
  if (message.role === 'system' || message.role === 'developer') {
    return 'system';
  }
  const isTool =
    message.role === 'tool' ||
    message.role === 'function' ||
    message.tool_calls !== undefined;
  return isTool ? 'tool' : 'history';
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
