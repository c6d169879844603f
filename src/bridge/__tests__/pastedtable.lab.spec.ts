import { pastedTable, withTable } from '../pastedtable';

const HTML =
  '<html><body><!--StartFragment--><table><tr><td>day</td><td>mm</td></tr><tr><td>1</td><td>4|2</td></tr></table></body></html>';

describe('a pasted table', () => {
  it('is Markdown, and other HTML is none', () => {
    expect(pastedTable(HTML)?.split('\n')).toEqual([
      '| day | mm |',
      expect.stringMatching(/^\|[-: |]+\|$/),
      '| 1 | 4\\|2 |'
    ]);
    expect(pastedTable('<p>day</p>')).toBeNull();
    expect(
      pastedTable('<p>Look</p><table><tr><td>1</td></tr></table>')
    ).toBeNull();
    expect(pastedTable('')).toBeNull();
  });

  it('replaces what was pasted, wherever that is now, and nothing else', () => {
    const pasted = { plain: 'day\tmm\n', start: 6, table: '| T |' };
    expect(withTable('Look: day\tmm\nWhy?', pasted)).toBe(
      'Look:\n\n| T |\n\nWhy?'
    );
    expect(withTable('Please look: day\tmm\n', pasted)).toBe(
      'Please look:\n\n| T |'
    );
    expect(withTable('Edited', pasted)).toBe('Edited\n\n| T |');
    expect(withTable('', { ...pasted, plain: '' })).toBe('| T |');
  });
});
