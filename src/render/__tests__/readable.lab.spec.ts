import { renderMarkdown } from '../pipeline';
import { headingsOf, readableText } from '../readable';
import { pageText } from '../pagetext';
import { RealParts } from './parts';

const parts = new RealParts();

/** The lines of the rendered text. */
async function shownLines(source: string): Promise<string[]> {
  const host = document.createElement('div');
  host.appendChild(await renderMarkdown(source, parts));
  return lines(pageText([host]).text);
}

function lines(text: string): string[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean);
}

const SAMPLES: Record<string, string> = {
  paragraphs:
    'One line\nand its second\n\nAnother **bold** _and_ `code *kept*`',
  headings: '# Title\n\n## A *second* one ##\n\nSetext\n======\n\ntext',
  lists:
    '- one\n- two\n  - three\n\n1. first\n2. second\n- [ ] open\n- [x] done',
  code: 'Before\n\n```python\nx = a * b * c\n\n# no heading\n```\n\nafter `a_b_c` and snake_case_name',
  tilde: '~~~\n**raw**\n~~~',
  table: '| a | b |\n|---|:-:|\n| **c** | d e |',
  links: 'See [the docs](https://example.org/a_b) and <https://example.org>.',
  reference: 'See [the docs][1].\n\n[1]: https://example.org',
  quote: '> quoted *text*\n> goes on\n\nend',
  escapes: 'Not \\*bold\\*, AT&amp;T, 3 &lt; 4, a &#38; b',
  formulas: 'The sum $a_1 + b$ and \\(c\\) cost $5 and $6.',
  html: 'A <b>bold</b> word<!-- hidden --> here',
  nested: '***both*** and **bold with *inner* marks**, ~~gone~~',
  rule: 'above\n\n---\n\nbelow',
  prices: '2 * 3 * 4 and a*b'
};

describe('the text of a reply', () => {
  it.each(Object.keys(SAMPLES))('is what is shown of it: %s', async name => {
    expect(lines(readableText(SAMPLES[name]))).toEqual(
      await shownLines(SAMPLES[name])
    );
  });
});

describe('shown text', () => {
  it('finds words that span marks', async () => {
    const host = document.createElement('div');
    host.appendChild(await renderMarkdown('so **very** long', parts));
    const { text, range } = pageText([host]);
    const at = text.indexOf('o very l');
    const found = range(at, at + 8);
    expect(found.startContainer.textContent).toBe('so ');
    expect(found.startOffset).toBe(1);
    expect(found.endContainer.textContent).toBe(' long');
    expect(found.endOffset).toBe(2);
  });

  it('has neither controls nor formulas', async () => {
    const host = document.createElement('div');
    host.appendChild(
      await renderMarkdown('```\ncode\n```\n\n$\\alpha$ beta', parts)
    );
    const { text } = pageText([host]);
    expect(lines(text)).toEqual(['code', 'beta']);
  });
});

it('the headings of a reply are those that are shown', () => {
  expect(
    headingsOf(
      '# One\n\ntext # no\n\n```sh\n# a comment\n```\n## *Two* `x` ##\n#hash\n####### seven\n#'
    )
  ).toEqual([
    { level: 1, text: 'One', words: 'One' },
    { level: 2, text: 'Two x', words: 'Two x' }
  ]);
});

it('the formulas of a heading are read as TeX', () => {
  expect(
    headingsOf('# Solve $x_1 * y_1$ *now*\n## \\(a\\) for $5 and $6\n### $$b$$')
  ).toEqual([
    { level: 1, text: 'Solve x_1 * y_1 now', words: 'Solve  now' },
    { level: 2, text: 'a for $5 and $6', words: 'for $5 and $6' },
    { level: 3, text: 'b', words: '' }
  ]);
});

it('takes no longer than the text is long, also for odd lines', () => {
  const many = (text: string) => text.repeat(100_000);
  const rule = `${many(' ')}${many('-')}x`;
  expect(readableText(rule)).toBe(rule.trim());
  const title = `a${many(' ')}${many(' ')}x`;
  expect(readableText(`# ${title} ##`)).toBe(title);
  expect(headingsOf(`# ${title}`)[0].text).toBe(title);
});
