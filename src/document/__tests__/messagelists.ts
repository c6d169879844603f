/**
 * Messages of every shape, for property tests: such as people and models write, and such as no
 * one should.
 */
import fc from 'fast-check';

import type { IMessage } from '../../base/message';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom(
    '',
    ' ',
    'a\nb\n',
    'a\r\nb\rc',
    '\u2028\u0085x',
    '\u0000',
    '\ud800',
    'x\udc00y',
    '[INTERRUPTED]',
    '```\ncode\n```',
    '<script>alert(1)</script>'
  )
);

const json = fc.jsonValue({ maxDepth: 3, noUnicodeString: false });

const parts = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('text'), text }),
    fc.record({
      type: fc.constant('image_url'),
      image_url: fc.record({ url: text })
    }),
    fc.dictionary(text, json, { maxKeys: 2 })
  ),
  { maxLength: 3 }
);

const call = fc.oneof(
  fc.record({
    id: text,
    type: fc.constant('function'),
    function: fc.record({
      name: text,
      arguments: fc.oneof(
        text,
        json.map(value => JSON.stringify(value))
      )
    })
  }),
  fc.dictionary(text, json, { maxKeys: 3 })
);

const content = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 1, arbitrary: parts },
  { weight: 1, arbitrary: fc.constant(null) }
);

/** A message such as requests usually have. */
const usual = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'user', 'assistant'), content }),
  fc.record({
    role: fc.constant('assistant'),
    content,
    tool_calls: fc.array(call, { maxLength: 3 })
  }),
  fc.record({
    role: fc.constant('assistant'),
    tool_calls: fc.array(call, { minLength: 1, maxLength: 3 })
  }),
  fc.record({ role: fc.constant('tool'), tool_call_id: text, content })
);

/** A message with keys, roles and an order of its own. */
const strange = fc
  .tuple(
    fc.oneof(
      fc.constantFrom('system', 'user', 'assistant', 'tool', 'developer'),
      text
    ),
    fc.dictionary(
      fc.oneof(
        text,
        fc.constantFrom(
          'content',
          'name',
          'tool_calls',
          'tool_call_id',
          '__proto__',
          'refusal'
        )
      ),
      json,
      { maxKeys: 4 }
    ),
    fc.boolean()
  )
  .map(([role, rest, first]) => {
    const entries = Object.entries(rest);
    entries.splice(first ? 0 : entries.length, 0, ['role', role]);
    return Object.fromEntries(entries);
  });

/** Any list of messages, as a JSON text can hold it. */
export const messageLists: fc.Arbitrary<IMessage[]> = fc
  .array(fc.oneof({ weight: 4, arbitrary: usual }, strange), { maxLength: 8 })
  .map(list => JSON.parse(JSON.stringify(list)) as IMessage[]);
