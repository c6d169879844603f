import fc from 'fast-check';

import { keepMessages } from '../messages';
import {
  FORMAT,
  problems,
  readChatInfo,
  readMarks,
  readRunInfo
} from '../metadata';

describe('reading metadata', () => {
  it('never throws, whatever a file holds', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        readChatInfo(value);
        readRunInfo(value);
        readMarks(value);
        problems(value, [
          { id: 'a', run: value, marks: value, messages: value }
        ]);
      })
    );
  });

  it('reads back what is written', () => {
    const info = {
      state: 'error',
      model: 'openai/gpt-4o-mini',
      createdAt: 1,
      updatedAt: 2,
      runId: 'r',
      attempt: 3,
      context: [['a', 'b', 2]],
      requestHash: 'h',
      usage: { total_tokens: 5 },
      error: { type: 'rate', code: 'quota', status: 429, message: 'no' },
      contextSnapshot: { runId: 'r', hash: 'h' }
    };
    expect(readRunInfo(info)).toEqual(info);
  });

  it('reads what can be read and leaves the rest', () => {
    expect(
      readRunInfo({ state: 'succeeded', attempt: 'x', context: [1] })
    ).toEqual({
      state: 'succeeded',
      model: '',
      createdAt: 0,
      updatedAt: 0,
      runId: '',
      attempt: 1,
      context: [],
      requestHash: ''
    });
    expect(readMarks({ topic: 'ml/nlp', star: 9, in: 'yes' })).toEqual({
      topic: 'ml/nlp'
    });
    expect(readRunInfo({ state: 'dancing' })).toBeNull();
    expect(readChatInfo({ chatId: 7 })).toBeNull();
  });
});

describe('problems', () => {
  it('finds none in an ordinary notebook or a chat', () => {
    expect(problems(undefined, [])).toEqual([]);
    expect(problems({ format: FORMAT, chatId: 'c' }, [])).toEqual([]);
  });

  it('names the cell and what cannot be read', () => {
    const found = problems({ format: 99, chatId: 'c' }, [
      {
        id: 'good',
        run: { state: 'succeeded' },
        marks: {},
        messages: keepMessages([], [])
      },
      {
        id: 'bad',
        run: { state: 'dancing' },
        marks: [],
        messages: { json: '[', textHash: '' }
      }
    ]);
    expect(found.map(({ cell }) => cell)).toEqual([null, 'bad', 'bad', 'bad']);
    expect(found[0].message).toMatch(/newer Turnbook \(format 99\)/);
    expect(found[1].message).toMatch(/cell bad/);
    expect(found[3].message).toMatch(/its text is sent instead/);
  });
});
