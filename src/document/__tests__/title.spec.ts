import { fileStem, shortTitle } from '../title';

describe('a short title', () => {
  it('is the first line with words', () => {
    expect(shortTitle('  \n\n Fit a line \r\nto this')).toBe('Fit a line');
    expect(shortTitle('one\u2028two')).toBe('one');
    expect(shortTitle(' \n\t\u200b\n')).toBe('');
    expect(shortTitle('')).toBe('');
  });

  it('is cut at the end of a word', () => {
    const title = shortTitle('word '.repeat(50));
    expect(title).toMatch(/^(word )+word…$/);
    expect(title.length).toBeLessThanOrEqual(60);
    expect(shortTitle('x'.repeat(100_000))).toBe(`${'x'.repeat(59)}…`);
    expect(shortTitle('x'.repeat(60))).toBe('x'.repeat(60));
  });

  it('cuts no character in two', () => {
    const family = '👩‍👩‍👧';
    expect(shortTitle(family.repeat(100), 4)).toBe(`${family.repeat(3)}…`);
    expect(shortTitle('e\u0301'.repeat(5), 3)).toBe('e\u0301e\u0301…');
  });

  it('has nothing that is not seen or changes other text', () => {
    expect(shortTitle('a\u202egpj.exe\u2066b\u0000c\ud800d')).toBe(
      'agpj.exeb cd'
    );
    expect(shortTitle('<b onclick="x()">bold</b>')).toBe(
      '<b onclick="x()">bold</b>'
    );
    expect(shortTitle('\u0645\u0631\u062d\u0628\u0627')).toBe(
      '\u0645\u0631\u062d\u0628\u0627'
    );
  });
});

it('a file name has nothing that leads elsewhere', () => {
  expect(fileStem('../../etc/passwd')).toBe('etc passwd');
  expect(fileStem('What is 1/2: a "half"?')).toBe('What is 1 2 a half');
  expect(fileStem('plan.chat.ipynb')).toBe('plan');
  expect(fileStem('x'.repeat(100))).toBe('x'.repeat(59));
  expect(fileStem('...')).toBe('');
});
