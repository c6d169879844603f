/** Requests before edits: from the visible cells, or from the bytes of a sent one. */
import type { PartialJSONObject } from '@lumino/coreutils';

import { trans } from '../base/words';
import type { IMessage } from '../base/message';
import {
  kindOf,
  NEW_MESSAGE,
  type IContext,
  type ISource
} from '../context/gather';
import { isObject } from '../base/json';
import { RequestError } from './errors';
import type { BaseSource, IBaseSection, IMember, IRequestBase } from './model';
import { defaultFrame, messageJSON } from './render';
import { itemsOf, membersOf } from './scan';

export interface IBaseOptions {
  chatId: string;
  pair: string;
  provider: string;
  debugName?: string;
}

/** The request of a message and its context. */
export function baseFromContext(
  context: Pick<IContext, 'messages' | 'sections'> & { trimmed?: number },
  options: IBaseOptions & {
    model: string;
    /** Options besides the default frame. */
    options?: PartialJSONObject;
    /** The chat's own frame, if it has one. */
    members?: readonly IMember[] | null;
    source?: BaseSource;
    expected?: string;
    /** The cell of the message, if it already exists. */
    cell?: string | null;
  }
): IRequestBase {
  const { chatId, pair, provider, model, source = 'live' } = options;
  const sections = context.messages.map((message, n): IBaseSection => {
    const source = context.sections[n];
    if (source.id !== NEW_MESSAGE.id) {
      return { ...source, message };
    }
    const id = `${pair}/${message.role}`;
    return { id, kind: 'user', cell: options.cell ?? null, message };
  });
  return {
    chatId,
    pair,
    provider,
    sections,
    ...(options.members
      ? { frame: frameOf(options.members), members: options.members }
      : { frame: liveFrame(model, options.options ?? {}) }),
    trimmed: context.trimmed ?? 0,
    source,
    ...named(options),
    ...(options.expected ? { expected: options.expected } : {})
  };
}

/**
 * The request that a body's bytes contain.
 *
 * `cells` are the messages that the cells of its context give today, if known: a message that is
 * still the same becomes the section of its cell.
 */
export function baseFromBody(
  body: string,
  options: IBaseOptions & {
    source: BaseSource;
    cells?: Pick<IContext, 'messages' | 'sections'>;
    trimmed?: number;
    expected?: string;
  }
): IRequestBase {
  const { chatId, pair, provider, source, cells, trimmed = 0 } = options;
  const parsed = parseBody(body);
  const messages = parsed.messages as unknown as IMessage[];
  const members = membersOf(body);
  const list = members.filter(({ key }) => key === 'messages').pop();
  const items = list ? itemsOf(list.json) : [];
  const sources = sourcesOf(messages, pair, cells);
  return {
    chatId,
    pair,
    provider,
    sections: messages.map((message, n) => ({
      ...sources[n],
      message,
      json: items[n]
    })),
    frame: { ...parsed, messages: null },
    trimmed,
    source,
    raw: { body, members },
    ...named(options),
    ...(options.expected ? { expected: options.expected } : {})
  };
}

function named({ debugName }: IBaseOptions): Pick<IRequestBase, 'debugName'> {
  return debugName ? { debugName } : {};
}

function parseBody(body: string): PartialJSONObject {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch (error) {
    throw new RequestError(
      'not-a-request',
      trans.__(
        'These bytes are not JSON (%1), so they cannot be edited as a request.',
        (error as Error).message
      )
    );
  }
  if (!isObject(parsed) || !Array.isArray(parsed.messages)) {
    throw new RequestError(
      'not-a-request',
      trans.__(
        'These bytes are not a request with messages, so they cannot be edited as one.'
      )
    );
  }
  const wrong = parsed.messages.findIndex(
    message => !isObject(message) || typeof message.role !== 'string'
  );
  if (wrong !== -1) {
    throw new RequestError(
      'not-a-request',
      trans.__(
        'Message %1 of these bytes has no role, so they cannot be edited as a request.',
        wrong + 1
      ),
      ['messages', wrong]
    );
  }
  return parsed;
}

function frameOf(members: readonly IMember[]): PartialJSONObject {
  return Object.fromEntries(
    members.map(({ key, json }) => [key, JSON.parse(json)])
  ) as PartialJSONObject;
}

/** The default frame with these options; null removes a default key. */
function liveFrame(
  model: string,
  options: PartialJSONObject
): PartialJSONObject {
  const usual = defaultFrame(model) as PartialJSONObject;
  const gone = Object.keys(usual).filter(key => options[key] === null);
  const frame = { ...usual, ...options, messages: null };
  return Object.fromEntries(
    Object.entries(frame).filter(
      ([key]) => key === 'messages' || !gone.includes(key)
    )
  ) as PartialJSONObject;
}

/** Where the messages of a body come from, judging by today's cells. */
function sourcesOf(
  messages: readonly IMessage[],
  pair: string,
  cells?: Pick<IContext, 'messages' | 'sections'>
): ISource[] {
  const places = new Map<string, number[]>();
  cells?.messages.forEach((message, place) => {
    const json = messageJSON(message);
    places.set(json, [...(places.get(json) ?? []), place]);
  });
  const taken = new Set<string>();
  const last = messages.map(({ role }) => role).lastIndexOf('user');
  let next = 0;
  return messages.map((message, n) => {
    const place = places
      .get(messageJSON(message))
      ?.find(candidate => candidate >= next);
    let source: ISource;
    if (n === last) {
      source = { id: `${pair}/user`, kind: 'user', cell: pair };
    } else if (cells && place !== undefined) {
      next = place + 1;
      source = cells.sections[place];
    } else {
      const id = `message ${n + 1}/${message.role}`;
      source = { id, kind: kindOf(message), cell: null };
    }
    const id = taken.has(source.id) ? `${source.id}/at ${n + 1}` : source.id;
    taken.add(id);
    return { ...source, id };
  });
}
