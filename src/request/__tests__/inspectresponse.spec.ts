import fc from 'fast-check';

import { bodyHash } from '../render';
import { eventsOf, inspectResponse } from '../inspectresponse';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('eventsOf', () => {
  it.each([
    ['', []],
    ['data: a\n\ndata: b\n\n', ['a', 'b']],
    [': ping\r\n\r\nid: 7\r\ndata:x\r\n\r\n', ['x']],
    ['\ufeffdata: a\ndata:  b\n\n', ['a\n b']],
    ['data: {"cut', ['{"cut']],
    ['data\n\n', ['']],
    ['{"error": {"message": "no data: here"}}', []],
    ['data: a\r\rdata: b\r\r', ['a', 'b']]
  ])('reads %j', (text, events) => {
    expect(eventsOf(text)).toEqual(events);
  });

  it('gives back whatever one line can hold', () => {
    const line = fc
      .string({ unit: 'grapheme' })
      .map(s => s.replace(/[\r\n]/g, ''));
    fc.assert(
      fc.property(fc.array(line), lines => {
        const text = lines.map(each => `data: ${each}\n\n`).join('');
        expect(eventsOf(text)).toEqual(lines);
      })
    );
  });
});

describe('inspectResponse', () => {
  it('takes the times of the journal, which knows only what is part of the reply', () => {
    const text = 'data: a\n\ndata: a\n\ndata: [DONE]\n\n';
    const known = [
      { n: 1, at: 5, data: 'a' },
      { n: 2, at: 9, data: 'a' }
    ];
    expect(inspectResponse(bytes(text), known)).toEqual({
      hash: bodyHash(text),
      text,
      exact: true,
      events: [
        { at: 5, data: 'a' },
        { at: 9, data: 'a' },
        { at: null, data: '[DONE]' }
      ]
    });
  });

  it('shows what is no UTF-8, and says so', () => {
    const shown = inspectResponse(new Uint8Array([0x64, 0xff]), []);
    expect(shown).toMatchObject({ text: 'd\ufffd', exact: false, events: [] });
  });
});
