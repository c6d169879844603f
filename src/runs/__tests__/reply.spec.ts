import fc from 'fast-check';

import { addChunk, EMPTY_REPLY } from '../reply';
import { reconnectDelay } from '../times';

const chunk = (content: unknown, rest: object = {}) => ({
  choices: [{ index: 0, delta: { content }, ...rest }]
});

describe('addChunk', () => {
  it('adds up text, finish and usage', () => {
    let reply = EMPTY_REPLY;
    for (const part of [
      { choices: [{ index: 0, delta: { role: 'assistant' } }] },
      chunk('Hel'),
      chunk('lo', { finish_reason: 'stop' }),
      { choices: [], usage: { completion_tokens: 2, other: 'x' } }
    ]) {
      reply = addChunk(reply, part);
    }
    expect(reply).toEqual({
      text: 'Hello',
      calls: [],
      images: [],
      reasoning: {},
      begun: true,
      finish: 'stop',
      usage: { completion_tokens: 2, other: 'x' }
    });
  });

  it('ignores values of the wrong type', () => {
    let reply = addChunk(EMPTY_REPLY, chunk('a'));
    for (const part of [
      null,
      3,
      [],
      'x',
      chunk(5),
      chunk(null),
      { choices: 1 }
    ]) {
      reply = addChunk(reply, part);
    }
    expect(reply.text).toBe('a');
    expect(addChunk(reply, { usage: { total_tokens: -1 } }).usage).toBeNull();
  });

  it('follows the first choice only', () => {
    const both = {
      choices: [
        { index: 1, delta: { content: 'no' } },
        { index: 0, delta: { content: 'yes' } }
      ]
    };
    expect(addChunk(EMPTY_REPLY, both).text).toBe('yes');
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        addChunk(EMPTY_REPLY, value);
      })
    );
  });
});

describe('reconnectDelay', () => {
  it('doubles from half a second to half a minute', () => {
    const delays = [0, 1, 2, 3, 10].map(n => reconnectDelay(n, 0.5));
    expect(delays).toEqual([500, 1000, 2000, 4000, 30000]);
  });
});
