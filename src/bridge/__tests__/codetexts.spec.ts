import fc from 'fast-check';

import { codeTexts, matchBlocks } from '../codetexts';

describe('the code blocks of a reply', () => {
  it('are found in order, also in lists and quotes', () => {
    const markdown = [
      'Text `not this`.',
      '```python title=x',
      'a = 1',
      '',
      '  b\t= 2  ',
      '```',
      '1. First:',
      '   ```',
      '   c',
      '     d',
      '   ```',
      '2. Second',
      '',
      '> ~~~sh',
      '> echo ```',
      '> ~~~',
      '',
      '    indented',
      '',
      '````md',
      '```',
      '````'
    ].join('\n');
    expect(codeTexts(markdown)).toEqual([
      { language: 'python', text: 'a = 1\n\n  b\t= 2  ' },
      { language: '', text: 'c\n  d' },
      { language: 'sh', text: 'echo ```' },
      { language: '', text: 'indented' },
      { language: 'md', text: '```' }
    ]);
  });

  it('have exactly the text between their fences', () => {
    const code = fc
      .array(fc.string({ maxLength: 12 }), { minLength: 1, maxLength: 8 })
      .map(lines => lines.join('\n').replace(/[\r`~]/g, ''));
    fc.assert(
      fc.property(fc.array(code, { maxLength: 4 }), codes => {
        const markdown = codes
          .map((code, n) => `Part ${n}:\n\n\`\`\`py\n${code}\n\`\`\`\n`)
          .join('\n');
        expect(codeTexts(markdown).map(({ text }) => text)).toEqual(codes);
      })
    );
  });

  it('are matched with what the page shows, past what is not in the text', () => {
    const blocks = ['a', 'b\0c', 'a'].map(text => ({ language: '', text }));
    expect(
      matchBlocks(['a\n', 'html', 'b\ufffdc\n', 'a\n', 'a'], blocks)
    ).toEqual([blocks[0], null, blocks[1], blocks[2], null]);
  });

  it('may have as many empty lines as there are', () => {
    const text = `a${'\n'.repeat(1e6)}b`;
    const block = { language: '', text };
    expect(matchBlocks([`${text}\n\n`], [block])).toEqual([block]);
  });
});
