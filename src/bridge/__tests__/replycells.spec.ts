import { harmless, notebookLanguage, replyCells } from '../replycells';

const REPLY = [
  '# Plan',
  'Load it:',
  '```python',
  'import pandas as pd',
  '```',
  'Then:',
  '1. Look',
  '2. Draw:',
  '   ```py',
  '   df.plot()',
  '   ```',
  '   and wait.',
  '',
  '```bash',
  'rm -rf /',
  '```',
  'Done.'
].join('\n');

describe('a reply as cells', () => {
  it('has its text as Markdown and its code as code', () => {
    expect(replyCells(REPLY, 'python')).toEqual([
      { type: 'markdown', source: '# Plan\nLoad it:' },
      { type: 'code', source: 'import pandas as pd' },
      { type: 'markdown', source: 'Then:\n1. Look\n2. Draw:' },
      { type: 'code', source: 'df.plot()' },
      { type: 'markdown', source: 'and wait.' },
      { type: 'markdown', source: '```bash\nrm -rf /\n```' },
      { type: 'markdown', source: 'Done.' }
    ]);
  });

  it('without a language has all code as code', () => {
    expect(replyCells('```\na\n```', '')).toEqual([
      { type: 'code', source: 'a' }
    ]);
    expect(replyCells('', 'python')).toEqual([]);
  });

  it('keeps code of another language in a fence that it cannot close', () => {
    const [cell] = replyCells('`````x"><img\n````\n`````', 'python');
    expect(cell).toEqual({
      type: 'markdown',
      source: '`````\n````\n`````'
    });
  });

  it('takes the language that a kernel has, else the most frequent one', () => {
    const blocks = ['bash', 'bash', 'py', ''].map(language => ({
      language,
      text: ''
    }));
    expect(notebookLanguage(blocks, ['python'])).toBe('python');
    expect(notebookLanguage(blocks, [])).toBe('bash');
    expect(notebookLanguage([], ['python'])).toBe('');
  });
});

describe('Markdown in a notebook', () => {
  it.each([
    ['![a](https://evil.test/x.png)', '[a](https://evil.test/x.png)'],
    [
      '![a][b]\n\n[b]: https://evil.test/x',
      '[a][b]\n\n[b]: https://evil.test/x'
    ],
    // Not an image with data, but one by reference.
    ['![a](data:image/png;base64, x y z', '[a](data:image/png;base64, x y z'],
    ['<img src="//evil.test">', '&lt;img src="//evil.test">'],
    ['<b onclick=x>', '&lt;b onclick=x>'],
    ['<svg/onload=x>', '&lt;svg/onload=x>'],
    ['<!--', '&lt;!--']
  ])('requests nothing: %s', (before, after) => {
    expect(harmless(before)).toBe(after);
  });

  it.each([
    'a < b and *c*',
    '<details><summary>More</summary>x</details>',
    '<https://example.org/x>',
    '![a](data:image/png;base64,AAAA)',
    'line<br/>line'
  ])('is otherwise as it was: %s', text => {
    expect(harmless(text)).toBe(text);
  });
});
