import fc from 'fast-check';

import { finishedReasoning, ThinkingClock } from '../reasoning';
import { addChunk, EMPTY_REPLY, type IReplyState } from '../reply';

const read = (...deltas: unknown[]): IReplyState =>
  deltas.reduce<IReplyState>(
    (reply, delta) => addChunk(reply, { choices: [{ index: 0, delta }] }),
    EMPTY_REPLY
  );

const thought = (...deltas: unknown[]) =>
  finishedReasoning(read(...deltas).reasoning, false, null);

describe('reasoning in chunks', () => {
  it.each(['reasoning_content', 'reasoning'] as const)(
    'is a text in %s',
    field => {
      const reply = read(
        { role: 'assistant', content: null, [field]: '' },
        { [field]: 'Let me ' },
        { [field]: 'see.', content: '' },
        { [field]: null, content: 'Four.' }
      );
      expect(reply.text).toBe('Four.');
      expect(finishedReasoning(reply.reasoning, false, 3)).toEqual({
        field,
        value: 'Let me see.',
        seconds: 3
      });
    }
  );

  it('is kept once if a server sends it under two names', () => {
    expect(
      thought(
        { reasoning: 'a', reasoning_content: 'a' },
        { reasoning: 'b', reasoning_content: 'b' }
      )
    ).toEqual({ field: 'reasoning_content', value: 'ab' });
  });

  it('is a list of pieces that grow, and whose signatures stay as they came', () => {
    expect(
      thought(
        {
          reasoning: 'Let ',
          reasoning_details: [
            { type: 'reasoning.text', text: 'Let ', format: 'x', index: 0 }
          ]
        },
        {
          reasoning: 'me.',
          reasoning_details: [
            { type: 'reasoning.text', text: 'me.', format: 'x', index: 0 }
          ]
        },
        {
          reasoning_details: [
            { type: 'reasoning.text', signature: 'S+/=', index: 0 }
          ]
        },
        {
          reasoning_details: [
            { type: 'reasoning.encrypted', data: 'AB', id: 'i', index: 1 },
            { type: 'reasoning.encrypted', data: 'CD', id: 'j', index: 1 }
          ]
        }
      )
    ).toEqual({
      field: 'reasoning_details',
      value: [
        {
          type: 'reasoning.text',
          text: 'Let me.',
          format: 'x',
          index: 0,
          signature: 'S+/='
        },
        { type: 'reasoning.encrypted', data: 'AB', id: 'i', index: 1 },
        { type: 'reasoning.encrypted', data: 'CD', id: 'j', index: 1 }
      ]
    });
  });

  it('is among the parts of the content', () => {
    const reply = read(
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }
        ]
      },
      { content: [{ type: 'thinking', thinking: '.' }] },
      { content: [{ type: 'text', text: 'Four.' }] }
    );
    expect(reply.text).toBe('Four.');
    expect(finishedReasoning(reply.reasoning, false, null)?.value).toBe('Hm.');
  });

  it('counts when it is empty only before tool calls', () => {
    const { reasoning } = read({ reasoning_content: '' });
    expect(finishedReasoning(reasoning, false, null)).toBeNull();
    expect(finishedReasoning(reasoning, true, null)?.value).toBe('');
    expect(finishedReasoning(read({}).reasoning, true, null)).toBeNull();
  });

  it('never throws, and a reply without it has none', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), deltas => {
        read(...deltas);
      })
    );
    expect(
      thought({ content: 'x' }, { reasoning_details: [5, null] })
    ).toBeNull();
  });
});

describe('ThinkingClock', () => {
  let now = 0;
  const clock = (past = 0) => new ThinkingClock(past, () => now);
  beforeEach(() => {
    now = 0;
  });

  it('counts from the first thought to the first word', () => {
    const timer = clock();
    timer.note(false, false);
    now = 1000;
    expect(timer.seconds).toBeNull();
    timer.note(true, false);
    now = 5400;
    expect(timer.seconds).toBe(4);
    timer.note(false, true);
    now = 9000;
    timer.note(true, true);
    timer.end();
    expect(timer.seconds).toBe(4);
  });

  it('counts nothing whose beginning it did not see', () => {
    const timer = clock(2);
    timer.note(true, false);
    now = 3000;
    timer.note(true, false);
    timer.note(true, false);
    timer.note(false, true);
    expect(timer.seconds).toBeNull();
  });
});
