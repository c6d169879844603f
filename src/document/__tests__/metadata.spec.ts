import fc from 'fast-check';

import { keepMessages } from '../messages';
import {
  editCount,
  FORMAT,
  isChatId,
  problems,
  readChatInfo,
  readMarks,
  readRunInfo
} from '../metadata';

const CHAT = '0b1c2d3e-0000-4000-8000-00000000000a';

describe('reading metadata', () => {
  it('never throws, whatever a file contains', () => {
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
      edited: { sections: 1, deleted: 2, added: 0, options: 3 },
      trimmed: { pairs: 4, tokens: 5 },
      usage: { total_tokens: 5 },
      error: { type: 'rate', code: 'quota', status: 429, message: 'no' },
      contextSnapshot: { runId: 'r', hash: 'h' }
    };
    expect(readRunInfo(info)).toEqual(info);
  });

  it.each([
    ['edited', 3],
    ['edited', { sections: 1, deleted: 0, added: 0 }],
    ['edited', { sections: -1, deleted: 0, added: 0, options: 0 }],
    ['edited', { sections: 1, deleted: 0, added: 0, options: 0.5 }],
    ['edited', { sections: 1, deleted: '0', added: 0, options: 0 }],
    ['trimmed', true],
    ['trimmed', { pairs: 1 }],
    ['trimmed', { pairs: 0, tokens: 1 }],
    ['trimmed', { pairs: 1, tokens: -1 }]
  ])('takes no %s from %j', (key, value) => {
    const info = readRunInfo({ state: 'succeeded', [key]: value });
    expect(info).not.toHaveProperty(key);
  });

  it('counts the edits of a mark', () => {
    const mark = { sections: 1, deleted: 2, added: 4, options: 8 };
    expect(editCount(mark)).toBe(15);
    expect(editCount(undefined)).toBe(0);
  });

  it('reads what is valid and ignores the rest', () => {
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

  it('accepts only a UUID as the id of a chat', () => {
    expect(readChatInfo({ chatId: CHAT })?.chatId).toBe(CHAT);
    expect(isChatId(CHAT.toUpperCase())).toBe(true);
    const odd = [
      ...['*', 'all chats', '', 'a.chat.ipynb', '__proto__', CHAT.slice(1)],
      ...[`${CHAT}\n`, ` ${CHAT}`, `${CHAT}0`, `{${CHAT}}`, [CHAT], null],
      CHAT.replaceAll('-', '')
    ];
    for (const chatId of odd) {
      expect(readChatInfo({ chatId, model: 'work/gpt' })).toBeNull();
    }
    // What is said of it: it gets an id of its own.
    expect(problems({ chatId: '*' }, [])[0].message).toContain('new chat id');
  });
});

describe('problems', () => {
  it('finds none in an ordinary notebook or a chat', () => {
    expect(problems(undefined, [])).toEqual([]);
    expect(problems({ format: FORMAT, chatId: CHAT }, [])).toEqual([]);
  });

  it.each([
    ['hot', /cannot be read/],
    [[1], /cannot be read/],
    [{ model: 'x', seed: 1, stream: false }, /include model, stream, which/]
  ])('says what is wrong with the options %j of a chat', (options, words) => {
    const found = problems({ format: FORMAT, chatId: CHAT, options }, []);
    expect(found).toEqual([
      { cell: null, message: expect.stringMatching(words) }
    ]);
  });

  it('names the cell and what cannot be read', () => {
    const found = problems({ format: 99, chatId: CHAT }, [
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
