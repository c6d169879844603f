import * as fc from 'fast-check';
import { marked } from 'marked';

import { BlockSplitter } from '../blocks';

/** The blocks of a finished text. */
function splitBlocks(text: string): string[] {
  const splitter = new BlockSplitter();
  const blocks = splitter.push(text);
  return splitter.tail ? [...blocks, splitter.tail] : blocks;
}

const lines = fc.constantFrom(
  '',
  '',
  '',
  'text',
  'more text',
  '# Heading',
  '---',
  '===',
  '- item',
  '* star',
  '2. second',
  '10. tenth',
  '- ```',
  '  ```',
  '   ```js',
  '  indented',
  '    deep',
  '> quote',
  '> ```',
  '>',
  '```',
  '```python',
  '````',
  '~~~',
  '~~~ mermaid',
  '| a | b |',
  '|---|---|',
  '$$',
  'x $y$ z',
  '\\[',
  '\\]',
  '<div>',
  '</div>',
  '<!-- note',
  '-->',
  '<pre>',
  '</pre>',
  '[ref]: https://example.com',
  'see [ref]',
  '\ttab',
  'carriage\r'
);

const markdown = fc
  .array(lines, { maxLength: 30 })
  .map(parts => parts.join('\n'));

const anyText = fc.oneof(markdown, fc.string(), fc.string({ unit: 'binary' }));

/** A text and the lengths of the pieces it arrives in. */
const streamed = fc.tuple(
  anyText,
  fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1 })
);

function* pieces(text: string, sizes: number[]): Generator<string> {
  for (let at = 0, i = 0; at < text.length; i++) {
    const size = sizes[i % sizes.length];
    yield text.slice(at, at + size);
    at += size;
  }
}

describe('BlockSplitter', () => {
  it('loses and adds nothing', () => {
    fc.assert(
      fc.property(streamed, ([text, sizes]) => {
        const splitter = new BlockSplitter();
        let closed = '';
        let sent = '';
        for (const piece of pieces(text, sizes)) {
          closed += splitter.push(piece).join('');
          sent += piece;
          expect(closed + splitter.tail).toBe(sent);
        }
      }),
      { numRuns: 500 }
    );
  });

  it('closes the same blocks however the text is split', () => {
    fc.assert(
      fc.property(streamed, ([text, sizes]) => {
        const splitter = new BlockSplitter();
        const closed: string[] = [];
        for (const piece of pieces(text, sizes)) {
          closed.push(...splitter.push(piece));
        }
        expect(closed).toEqual(new BlockSplitter().push(text));
      }),
      { numRuns: 500 }
    );
  });

  it('splits where the parser would start a new block', () => {
    fc.assert(
      fc.property(markdown, text => {
        const splitter = new BlockSplitter();
        const blocks = [...splitter.push(text), splitter.tail];
        fc.pre(!splitter.spansBlocks && blocks.length > 1);
        const apart = blocks.map(block => marked.parse(block)).join('');
        expect(apart).toBe(marked.parse(text));
      }),
      { numRuns: 2000 }
    );
  });

  it.each([
    ['a fence', '```\na\n\nb\n\nc\n'],
    ['a longer fence', '````\n```\n\n```\n\nb\n'],
    ['a formula', '$$\na\n\nb\n'],
    ['a bracketed formula', '\\[\na\n\nb\n'],
    ['an environment', '\\begin{align}\na\n\nb\n'],
    ['a list', '- a\n\n- b\n\n  c\n\n- d\n'],
    ['a quote', '> a\n\n> b\n'],
    ['a table', '| a |\n|---|\n| b |\n| c |\n'],
    ['HTML', '<details>\n\na\n\nb\n'],
    ['a comment', '<!-- a\n\nb\n']
  ])('does not cut %s', (_, text) => {
    expect(splitBlocks(text)).toEqual([text]);
  });

  it('separates paragraphs, code and lists', () => {
    expect(
      splitBlocks('One.\n\nTwo:\n```js\nx\n\ny\n```\nThree\n\n- a\n- b\n\nEnd')
    ).toEqual([
      'One.\n\n',
      'Two:\n',
      '```js\nx\n\ny\n```\n',
      'Three\n\n',
      '- a\n- b\n\nEnd'
    ]);
  });

  it('reports the open fence', () => {
    const splitter = new BlockSplitter();
    splitter.push('Look:\n```python\nprint(1)\n');
    expect(splitter.openFence).toMatchObject({ info: 'python', bodyStart: 10 });
    splitter.push('```\n');
    expect(splitter.openFence).toBeNull();
  });

  it.each([
    ['link definitions', 'See [a].\n\n[a]: https://example.com\n'],
    ['footnotes', 'See.[^1]\n\n[^1]: There.\n'],
    ['HTML', '<b>x</b>\n']
  ])('notices %s', (_, text) => {
    const splitter = new BlockSplitter();
    splitter.push(text);
    expect(splitter.spansBlocks).toBe(true);
  });

  it('does work per push independent of the length of the text', () => {
    const splitter = new BlockSplitter();
    splitter.push('```\n');
    const reads = jest.spyOn(String.prototype, 'indexOf');
    for (let i = 0; i < 1000; i++) {
      splitter.push('some code\n');
    }
    const scanned = reads.mock.contexts.reduce<number>(
      (sum, text) => sum + String(text).length,
      0
    );
    reads.mockRestore();
    expect(scanned).toBeLessThan(1000 * 10 * 4);
  });
});
