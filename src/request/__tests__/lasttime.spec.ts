import fc from 'fast-check';

import type { IMessage } from '../../base/message';
import {
  readAgain,
  readRequest,
  sameBeginning,
  type IReadRequest
} from '../lasttime';
import { defaultFrame, renderRequest } from '../render';

const message = fc.record({
  role: fc.constantFrom('system', 'user', 'assistant'),
  content: fc.string()
});
const messages = fc.array(message, { minLength: 1, maxLength: 20 });

/** A request, and the same as it comes back from its bytes. */
const request = (list: readonly IMessage[], frame = {}): IReadRequest => ({
  frame: { ...defaultFrame('m'), ...frame },
  messages: list
});
const sent = (list: readonly IMessage[], frame = {}): IReadRequest => {
  const { frame: all } = request(list, frame);
  return readRequest(renderRequest(all, list))!;
};

describe('the beginning of two requests', () => {
  it('of a request and itself is everything', () => {
    fc.assert(
      fc.property(messages, list => {
        const last = sent(list);
        expect(sameBeginning(last, request(list))).toEqual({
          messages: list.length,
          option: null
        });
        expect(readAgain(last, request(list))).toEqual([]);
      })
    );
  });

  it('ends exactly before the first message that changed', () => {
    fc.assert(
      fc.property(messages, messages, fc.nat(), (list, more, at) => {
        const k = at % list.length;
        const changed = { ...list[k], content: `${list[k].content}!` };
        const now = [...list.slice(0, k), changed, ...list.slice(k + 1)];
        const all = request([...now, ...more]);
        expect(sameBeginning(sent(list), all).messages).toBe(k);
      })
    );
  });

  it('of a chat that went on is all of the last one', () => {
    fc.assert(
      fc.property(messages, messages, (list, more) => {
        const now = request([...list, ...more]);
        expect(sameBeginning(sent(list), now).messages).toBe(list.length);
        expect(readAgain(sent(list), now)).toEqual([]);
      })
    );
  });

  it('ends where a message was left out, and what follows is read again', () => {
    const list = ['a', 'b', 'c', 'd'].map(content => ({
      role: 'user',
      content
    }));
    const fresh = { role: 'user', content: 'new' };
    const now = request([list[0], list[2], list[3], fresh]);
    expect(sameBeginning(sent(list), now).messages).toBe(1);
    expect(readAgain(sent(list), now)).toEqual([list[2], list[3]]);
  });

  it('is nothing if what is read before the messages differs', () => {
    const list = [{ role: 'user', content: 'a' }];
    const tools = [{ type: 'function', function: { name: 'look' } }];
    expect(sameBeginning(sent(list), request(list, { tools }))).toEqual({
      messages: 0,
      option: 'tools'
    });
    expect(sameBeginning(sent(list, { tools }), request(list)).option).toBe(
      'tools'
    );
    expect(
      sameBeginning(sent(list, { tools }), request(list, { tools })).messages
    ).toBe(1);
    // How words are chosen changes nothing of how the prompt is read.
    expect(
      sameBeginning(sent(list), request(list, { temperature: 0 })).messages
    ).toBe(1);
  });

  it('does not depend on the order of keys', () => {
    const last = readRequest(
      '{"messages": [{"content": "a", "role": "user"}], "model": "m"}'
    )!;
    const now = request([{ role: 'user', content: 'a' }]);
    expect(sameBeginning(last, now).messages).toBe(1);
  });
});

it('reads only bodies that are requests', () => {
  for (const body of ['', '[]', '{', '{"messages": 7}', '{"messages": [7]}']) {
    expect(readRequest(body)).toBeNull();
  }
});
