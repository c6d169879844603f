/** Requests of every kind, for tests of replays. */
import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';
import fc from 'fast-check';

import type { IMessage } from '../../base/message';
import type { SectionKind } from '../../base/run';
import type { IEditedRequest, ISection } from '../../request/model';
import { bodyHash } from '../../request/render';
import { buildReplay, saysAnything, type IReplay } from '../model/record';

/** A section, in short notation. */
export function section(
  message: IMessage,
  facts: Partial<ISection> = {}
): ISection {
  const kind: SectionKind =
    message.role === 'system'
      ? 'system'
      : message.role === 'tool'
        ? 'tool'
        : 'history';
  return {
    id: `cell/${message.role}`,
    kind,
    cell: 'cell',
    original: message,
    message,
    edited: false,
    deleted: false,
    added: false,
    moved: false,
    conflict: null,
    pending: null,
    origin: null,
    ...facts
  };
}

/** A request after edits, with the bytes of what is not deleted. */
export function edited(
  sections: readonly ISection[],
  options: PartialJSONObject = {},
  trimmed = 0
): IEditedRequest {
  const messages = sections
    .filter(({ deleted }) => !deleted)
    .map(({ message }) => message);
  const frame = { model: 'm', messages: null, stream: true, ...options };
  const body = JSON.stringify({ ...frame, messages });
  return {
    base: {
      chatId: '0b8c6c1e-7b7c-4d57-9a3f-3d7c4a5e71e0',
      pair: 'pair-1',
      provider: 'scripted',
      sections: sections
        .filter(({ added }) => !added)
        .map(({ id, kind, cell, original, message }) => ({
          id,
          kind,
          cell,
          message: original ?? message
        })),
      frame,
      trimmed,
      source: 'live'
    },
    sections,
    frame,
    editedOptions: [],
    optionConflicts: [],
    problems: [],
    messages,
    body,
    hash: bodyHash(body)
  };
}

/** Build a replay with default facts. */
export function built(
  request: IEditedRequest,
  facts: Partial<Parameters<typeof buildReplay>[1]> = {}
): IReplay {
  return buildReplay(request, {
    version: 1,
    requestId: 'run-1',
    loggedHash: null,
    at: 1_763_280_000_123,
    count: text => text.length / 4,
    ...facts
  });
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', 'two\nlines', '```js\ncode\n```', '\ud83d', 'a\r\nb', '`')
);

const KEYS = ['__proto__', 'constructor', 'toString', 'a', '7'];

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<PartialJSONValue>,
  fc.dictionary(
    fc.constantFrom(...KEYS),
    fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<PartialJSONValue>,
    { maxKeys: 3 }
  )
) as fc.Arbitrary<PartialJSONValue>;

const parts = fc.array(
  fc.oneof(
    text.map(it => ({ type: 'text', text: it })),
    text.map(it => ({ type: 'image_url', image_url: { url: it.repeat(4) } })),
    value.map(it => ({ type: 'other', it }))
  ),
  { maxLength: 3 }
);

const call = fc.oneof(
  fc
    .tuple(
      text,
      fc.oneof(
        text,
        value.map(it => JSON.stringify(it))
      )
    )
    .map(([name, given]) => ({
      id: 'call-1',
      type: 'function',
      function: { name, arguments: given }
    })),
  value.map(it => ({ id: 'call-2', it })),
  fc
    .dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 3 })
    .map(it => ({ ...it, id: 'call-3' }))
);

const message: fc.Arbitrary<IMessage> = fc.oneof(
  fc.record({
    role: fc.constantFrom('system', 'developer', 'user', 'assistant', 'critic'),
    content: fc.oneof(text, parts, fc.constant(null))
  }),
  fc.record({
    role: fc.constant('user'),
    content: text,
    name: text,
    extra: value
  }),
  fc
    .dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 3 })
    .map(more => ({ role: 'user', content: 'x', ...more })),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.option(text),
    tool_calls: fc.array(call, { maxLength: 3 })
  }),
  fc.record({
    role: fc.constantFrom('tool', 'function'),
    content: text,
    tool_call_id: text
  })
) as fc.Arbitrary<IMessage>;

/** Any request with at least one message that is sent and not empty. */
export const anyRequest: fc.Arbitrary<IEditedRequest> = fc
  .tuple(
    fc.array(
      fc
        .tuple(
          message,
          fc.constantFrom<SectionKind>(
            'system',
            'context',
            'history',
            'tool',
            'user'
          ),
          fc.boolean(),
          fc.boolean()
        )
        .map(([it, kind, isEdited, deleted]) =>
          section(it, { kind, edited: isEdited, deleted })
        ),
      { maxLength: 12 }
    ),
    message.map(it => section(it, { kind: 'user' })),
    fc.dictionary(fc.constantFrom('temperature', 'tools', 'é', ...KEYS), value),
    fc.nat(3)
  )
  .map(([before, last, options, trimmed]) =>
    edited([...before, last], options, trimmed)
  )
  .filter(({ messages }) => messages.some(saysAnything));
