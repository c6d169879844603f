import { createHash } from 'crypto';

import * as fc from 'fast-check';

import { beginning, inspect, parity, pieces, sizeText } from '../inspect';
import { bodyHash, defaultFrame, renderRequest } from '../render';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('inspect', () => {
  it('reads a rendered request, message by message and option by option', () => {
    const body = renderRequest(
      { ...defaultFrame('m'), temperature: 0.5, stop: ['a', 'b'] },
      [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Grüße, 世界 🎉' }
      ]
    );
    const shown = inspect(bytes(body));
    expect(shown.hash).toBe(bodyHash(body));
    expect(shown.text).toBe(body);
    expect(shown.exact).toBe(true);
    expect(shown.messages).toEqual([
      { role: 'system', text: 'Be brief.', rest: [] },
      { role: 'user', text: 'Grüße, 世界 🎉', rest: [] }
    ]);
    expect(Object.fromEntries(shown.options)).toMatchObject({
      model: 'm',
      stream: 'true',
      temperature: '0.5',
      stop: JSON.stringify(['a', 'b'], null, 2)
    });
  });

  it('shows parts, tool calls and unusual messages instead of omitting them', () => {
    const call = { id: 'c1', function: { name: 'f', arguments: '{}' } };
    const image = { type: 'image_url', image_url: { url: 'data:x' } };
    const { messages } = inspect(
      bytes(
        JSON.stringify({
          messages: [
            { role: 'user', content: [{ type: 'text', text: 'See' }, image] },
            { role: 'assistant', content: null, tool_calls: [call] },
            'odd',
            { content: 7 }
          ]
        })
      )
    );
    expect(messages![0].text).toBe(`See\n\n${JSON.stringify(image, null, 2)}`);
    expect(messages![1]).toEqual({
      role: 'assistant',
      text: '',
      rest: [['tool_calls', JSON.stringify([call], null, 2)]]
    });
    expect(messages![2]).toEqual({ role: '', text: 'odd', rest: [] });
    expect(messages![3]).toEqual({ role: '', text: '7', rest: [] });
  });

  it('recognises bytes that are not a request, and bytes that are not text', () => {
    expect(inspect(bytes('not JSON')).messages).toBeNull();
    expect(inspect(bytes('[1]')).messages).toBeNull();
    expect(inspect(bytes('{"messages": 3}')).messages).toBeNull();
    const broken = inspect(new Uint8Array([0x7b, 0xff, 0x7d]));
    expect(broken).toMatchObject({ exact: false, size: 3, messages: null });
    expect(broken.text).toBe('{\ufffd}');
    expect(inspect(bytes('\ufeff{}')).text).toBe('\ufeff{}');
  });

  it('hashes any bytes unchanged, and shows UTF-8 exactly', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), data => {
        const shown = inspect(data);
        expect(shown.hash).toBe(
          createHash('sha256').update(data).digest('hex')
        );
        if (shown.exact) {
          expect(bytes(shown.text)).toEqual(data);
        }
      })
    );
  });
});

describe('parity', () => {
  it('agrees when cell and server have the hash of the bytes', () => {
    expect(parity('ab', 'ab', 'AB')).toEqual({
      agrees: true,
      differing: [],
      recorded: true
    });
  });

  it('names what differs', () => {
    expect(parity('ab', 'cd', 'ab').differing).toEqual([
      { source: 'cell', hash: 'cd' }
    ]);
    expect(parity('ab', 'cd', 'ef').differing.length).toBe(2);
  });

  it('does not report a missing hash as a difference', () => {
    expect(parity('ab', '', 'ab')).toMatchObject({
      agrees: true,
      recorded: false
    });
  });
});

describe('pieces', () => {
  it('add up to the text and never split a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.integer({ min: 1, max: 9 }),
        (text, length) => {
          const parts = pieces(text, length);
          expect(parts.join('')).toBe(text);
          const first = beginning(text, length);
          expect(text.startsWith(first)).toBe(true);
          [...parts, first].forEach(part => {
            expect(part).not.toMatch(/\p{Surrogate}/u);
          });
        }
      )
    );
  });
});

it('sizes are human-readable', () => {
  expect([999, 1500, 5_000_000].map(sizeText)).toEqual([
    '999 B',
    '1.5 kB',
    '5.0 MB'
  ]);
});
