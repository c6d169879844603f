/** Requests for tests: any that a chat can make, and one of a given size. */
import type { PartialJSONValue } from '@lumino/coreutils';
import fc from 'fast-check';

import type { IMessage } from '../../base/message';
import type { IBaseSection, IRequestBase } from '../model';
import { defaultFrame } from '../render';

/** A base of these messages, each in its own cell, the last one being written. */
export function baseOf(
  messages: readonly IMessage[],
  frame: object = defaultFrame('m')
): IRequestBase {
  const last = messages.length - 1;
  return {
    chatId: 'chat',
    pair: 'new',
    provider: 'p',
    sections: messages.map((message, n): IBaseSection => ({
      id: n === last ? 'new/user' : `c${n}/${message.role}`,
      kind:
        n === last ? 'user' : message.role === 'system' ? 'system' : 'history',
      cell: n === last ? null : `c${n}`,
      message
    })),
    frame: frame as IRequestBase['frame'],
    trimmed: 0,
    source: 'live'
  };
}

/** A typical request: system, a pair, and the message being written. */
export function usual(): IRequestBase {
  return baseOf([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'What is 2 + 2?' },
    { role: 'assistant', content: '4' },
    { role: 'user', content: 'And 3 + 3?' }
  ]);
}

/** A request of that many messages and about that many bytes. */
export function large(messages: number, bytes: number): IRequestBase {
  const size = Math.floor(bytes / messages) - 40;
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(
    Math.ceil(size / 45)
  );
  return baseOf(
    Array.from({ length: messages }, (_, n) => ({
      role: n === 0 ? 'system' : n % 2 ? 'user' : 'assistant',
      content: `${n} ${text}`.slice(0, size)
    }))
  );
}

/** Any text, lone surrogates included. */
export const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\ud83d', 'a\udc00b', '😀', '')
);

/** Names of prototype members are ordinary keys. */
export const anyKey = fc.oneof(
  fc.string(),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty')
);

/** Any JSON, with such keys at any depth. */
export const anyJSON = fc.letrec<{ value: PartialJSONValue }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.jsonValue() as fc.Arbitrary<PartialJSONValue>,
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(anyKey, tie('value'), { maxKeys: 3 })
  )
})).value;

/** Any message that a chat may hold. */
export const anyMessage: fc.Arbitrary<IMessage> = fc.oneof(
  fc.record({
    role: fc.constantFrom('system', 'user', 'assistant'),
    content: anyText
  }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.constant(null),
    tool_calls: fc.array(
      fc.record({
        id: fc.string(),
        type: fc.constant('function'),
        function: fc.record({
          name: fc.string(),
          arguments: fc.oneof(
            anyText,
            anyJSON.map(value => JSON.stringify(value))
          )
        })
      }),
      { minLength: 1, maxLength: 2 }
    )
  }),
  fc
    .dictionary(anyKey, anyJSON, { maxKeys: 3 })
    .map(more => ({ ...more, role: 'user', content: 'x' })),
  fc.record({
    role: fc.constant('user'),
    content: fc.array(fc.record({ type: fc.constant('text'), text: anyText }), {
      minLength: 1,
      maxLength: 3
    })
  }),
  fc.record({
    role: fc.constant('tool'),
    tool_call_id: fc.string(),
    content: anyText
  })
) as fc.Arbitrary<IMessage>;

/** Any base. */
export const anyBase: fc.Arbitrary<IRequestBase> = fc
  .tuple(
    fc.array(anyMessage, { minLength: 1, maxLength: 6 }),
    fc.dictionary(
      anyKey.filter(key => key !== 'messages'),
      anyJSON,
      { maxKeys: 3 }
    )
  )
  .map(([messages, options]) =>
    baseOf(messages, { ...defaultFrame('m'), x_first: 1, ...options })
  );
