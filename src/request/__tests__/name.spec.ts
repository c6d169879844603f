import { debugName, turnOf } from '../name';

describe('the name of a request', () => {
  it.each([
    ['work/Survey.chat.ipynb', 2, 'Survey · turn 2'],
    ['plain.ipynb', 1, 'plain · turn 1'],
    ['RTC:a/b\nc\u2028d.chat.ipynb', 1, 'b c d · turn 1'],
    ['x\ud83d.chat.ipynb', 1, 'x\ufffd · turn 1'],
    ['.chat.ipynb', 3, 'Chat · turn 3']
  ])('of %j, turn %i', (path, turn, name) => {
    expect(debugName(path, turn)).toBe(name);
  });

  it('is short enough for an event, and never ends in a lone surrogate', () => {
    const name = debugName(`${'😀'.repeat(300)}.chat.ipynb`, 123456);
    expect([...name].length).toBeLessThan(200);
    expect(name).toBe(`${'😀'.repeat(160)} · turn 123456`);
  });

  it('counts only pairs', () => {
    const cells = [
      { id: 's', kind: 'system', isSpare: false },
      { id: 'spare', kind: 'pair', isSpare: true },
      { id: 'a', kind: 'pair', isSpare: false },
      { id: 'n', kind: 'note', isSpare: false },
      { id: 'b', kind: 'pair', isSpare: false }
    ];
    expect(turnOf(cells, 'a')).toBe(1);
    expect(turnOf(cells, 'b')).toBe(2);
    expect(turnOf(cells, 'new')).toBe(3);
  });
});
