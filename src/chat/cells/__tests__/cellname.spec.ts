import {
  noteWords,
  pairWords,
  systemWords,
  type IPairWords
} from '../cellname';

const PAIR: IPairWords = {
  message: 'Which **frames**?',
  reply: '# Frames\n\nArea frames.',
  model: 'gpt-5',
  state: 'succeeded'
};

const PLACE = { number: 3, count: 17 };

describe('the name of a cell', () => {
  it('says where a message is, how it begins, and who replied what', () => {
    expect(pairWords(PAIR)(PLACE)).toBe(
      'Message 3 of 17: Which frames? Reply from gpt-5: Frames'
    );
    expect(pairWords(PAIR)(null)).toBe(
      'Message: Which frames? Reply from gpt-5: Frames'
    );
  });

  it.each([
    ['idle', 'No reply.'],
    ['sending', 'Waiting for the reply from gpt-5.'],
    ['awaiting', 'Waiting for the reply from gpt-5.'],
    ['error', 'The reply from gpt-5 failed.'],
    ['canceled', 'The reply from gpt-5 was stopped.'],
    ['succeeded', 'Reply from gpt-5.']
  ] as const)('says what became of a message: %s', (state, words) => {
    const name = pairWords({ ...PAIR, message: 'Go on', reply: '', state });
    expect(name(PLACE)).toBe(`Message 3 of 17: Go on. ${words}`);
  });

  it('is short and has no characters that would mislead, whatever the texts are', () => {
    const message = `a\u202eb\0c ${'long '.repeat(100_000)}`;
    const name = pairWords({
      ...PAIR,
      message,
      reply: message,
      model: message
    });
    expect(name(PLACE).length).toBeLessThan(300);
    expect(name(PLACE)).not.toMatch(/[\u202e\0]/);
    expect(pairWords({ ...PAIR, message: '', model: '' })(PLACE)).toBe(
      'Message 3 of 17: Reply from the model: Frames'
    );
  });

  it('says what other cells are', () => {
    expect(systemWords('Answer briefly.\n\nAlways.')()).toBe(
      'System message: Answer briefly.'
    );
    expect(noteWords('# To do')()).toBe('Note: To do');
  });
});
