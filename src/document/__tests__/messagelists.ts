/**
 * Messages of every shape, for property tests: such as people and models write, and such as no
 * one should.
 */
import fc from 'fast-check';

import type { IMessage } from '../../base/message';
import { fileText } from '../attachments';

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

const base64 = fc
  .uint8Array({ minLength: 1, maxLength: 9 })
  .map(bytes => btoa(String.fromCharCode(...bytes)));

/** A part such as attachments are sent as. */
const attached = fc.oneof(
  fc.record({
    type: fc.constant('image_url'),
    image_url: fc.record(
      {
        url: fc
          .tuple(fc.constantFrom('png', 'jpeg', 'gif', 'webp', 'bmp'), base64)
          .map(([type, data]) => `data:image/${type};base64,${data}`),
        detail: fc.constantFrom('low', 'high')
      },
      { requiredKeys: ['url'] }
    )
  }),
  fc.record({
    type: fc.constant('file'),
    file: fc.record(
      {
        filename: text,
        file_data: base64.map(data => `data:application/pdf;base64,${data}`)
      },
      { requiredKeys: ['file_data'] }
    )
  }),
  fc.record({
    type: fc.constant('input_audio'),
    input_audio: fc.record({
      data: fc.oneof(base64, text),
      format: fc.constantFrom('wav', 'mp3', 'flac')
    })
  }),
  fc.record({
    type: fc.constant('text'),
    text: fc
      .tuple(fc.oneof(text, fc.constant('a.py')), text)
      .map(([name, file]) => fileText(name, file))
  })
);

const parts = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: attached },
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

/** What a model thought, in the ways of different providers. */
const reasoning = fc.oneof(
  fc.record({ reasoning_content: text }),
  fc.record({ reasoning: text }),
  fc.record({
    reasoning: text,
    reasoning_details: fc.array(fc.dictionary(text, json, { maxKeys: 3 }), {
      maxLength: 2
    })
  })
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
  fc.record({ role: fc.constant('tool'), tool_call_id: text, content }),
  fc
    .tuple(
      fc.record(
        {
          role: fc.constant('assistant'),
          content,
          tool_calls: fc.array(call, { maxLength: 2 })
        },
        { requiredKeys: ['role', 'content'] }
      ),
      reasoning
    )
    .map(([message, thought]) => ({ ...message, ...thought }))
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
          'reasoning',
          'reasoning_content',
          'reasoning_details',
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
