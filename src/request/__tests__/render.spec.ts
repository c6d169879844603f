import { createHash } from 'crypto';

import fc from 'fast-check';

import { bodyHash, render, splitModel } from '../render';

const message = fc.record({
  role: fc.constantFrom('system', 'user', 'assistant') as fc.Arbitrary<
    'system' | 'user' | 'assistant'
  >,
  content: fc.string({ unit: 'binary' })
});

describe('render', () => {
  it('asks for a stream with usage', () => {
    expect(JSON.parse(render('m', [{ role: 'user', content: 'hi' }]))).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
      stream: true,
      stream_options: { include_usage: true }
    });
  });

  it('is deterministic and keeps every message as it is', () => {
    fc.assert(
      fc.property(fc.array(message), messages => {
        const body = render('m', messages);
        expect(render('m', messages)).toBe(body);
        expect(JSON.parse(body).messages).toEqual(messages);
      })
    );
  });

  it('keeps unknown options untouched', () => {
    const options = { logit_bias: { '50256': -100 }, x_new: [null, 1.5, 'é'] };
    expect(JSON.parse(render('m', [], options))).toMatchObject(options);
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
