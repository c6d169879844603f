import { createHash } from 'crypto';

import fc from 'fast-check';

import { bodyHash, defaultFrame, renderRequest, splitModel } from '../render';

const message = fc.record({
  role: fc.constantFrom('system', 'user', 'assistant') as fc.Arbitrary<
    'system' | 'user' | 'assistant'
  >,
  content: fc.string({ unit: 'binary' })
});

describe('renderRequest', () => {
  it('asks for a stream with usage', () => {
    const body = renderRequest(defaultFrame('m'), [
      { role: 'user', content: 'hi' }
    ]);
    expect(body).toBe(
      '{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true,"stream_options":{"include_usage":true}}'
    );
  });

  it('is deterministic and equals JSON.stringify', () => {
    fc.assert(
      fc.property(fc.array(message), messages => {
        const body = renderRequest(defaultFrame('m'), messages);
        expect(renderRequest(defaultFrame('m'), messages)).toBe(body);
        expect(body).toBe(JSON.stringify({ ...defaultFrame('m'), messages }));
      })
    );
  });

  it('keeps unknown options untouched and in place', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.array(message),
        (before, after, messages) => {
          delete before.messages;
          delete after.messages;
          const frame = { ...before, messages: null, ...after };
          expect(renderRequest(frame as any, messages)).toBe(
            JSON.stringify({ ...frame, messages })
          );
        }
      )
    );
  });
});

describe('bodyHash', () => {
  it('is the sha256 of the UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), text => {
        const expected = createHash('sha256')
          .update(text, 'utf8')
          .digest('hex');
        expect(bodyHash(text)).toBe(expected);
      })
    );
  });
});

describe('splitModel', () => {
  it('splits at the first slash only', () => {
    expect(splitModel('openrouter/meta/llama-3')).toEqual({
      provider: 'openrouter',
      model: 'meta/llama-3'
    });
    expect(splitModel('nothing')).toEqual({ provider: 'nothing', model: '' });
  });
});
