import fc from 'fast-check';
import { Lexer, walkTokens } from 'marked';

import { harmless } from '../harmless';
import { quoted } from '../origins';
import { markdownCell, replyCells } from '../replycells';
import { hostileMarkdown } from './hostile';

describe('Markdown in a notebook', () => {
  it.each([
    ['![a](https://evil.test/x.png)', '[a](https://evil.test/x.png)'],
    ['!![a](https://evil.test)', '[a](https://evil.test)'],
    ['\\!![a](https://evil.test)', '\\[a](https://evil.test)'],
    ['[![a](x)](y) | # ![](x)', '[[a](x)](y) | # [](x)'],
    ['![a](attachment:x.png)', '[a](attachment:x.png)'],
    [
      '![a][b]\n\n[b]: https://evil.test/x',
      '[a][b]\n\n[b]: https://evil.test/x'
    ],
    // Not an image with data, but one by reference.
    ['![a](data:image/png;base64, x y z', '[a](data:image/png;base64, x y z'],
    [
      '![a [b](data:image/png;base64,AA) c](https://evil.test)',
      '[a [b](data:image/png;base64,AA) c](https://evil.test)'
    ],
    [
      '![a ![b](data:image/png;base64,AA) c](https://evil.test)',
      '[a ![b](data:image/png;base64,AA) c](https://evil.test)'
    ],
    ['![a](data:image/svg+xml;base64,AA)', '[a](data:image/svg+xml;base64,AA)'],
    ['<img src="//evil.test">', '&lt;img src="//evil.test">'],
    ['<video autoplay>', '&lt;video autoplay>'],
    ['<b onclick=x>', '&lt;b onclick=x>'],
    ['<svg/onload=x>', '&lt;svg/onload=x>'],
    ['<!--', '&lt;!--'],
    // It lasts beyond empty lines.
    ['<pre>', '&lt;pre>'],
    // The parser takes the mark of the quote out, and the tag goes on.
    ['> <b\n> class=x>', '> &lt;b\n> class=x>'],
    [
      '[a](b "$" style="background:url(//evil.test)"$")',
      '[a](b "$" style&#61;"background:url(//evil.test)"$")'
    ],
    ['$\\style{cursor:url(x)}{a}$', '$\\ style{cursor:url(x)}{a}$'],
    ['&#36;&#92;&#x73;tyle', '&#36;&amp;#92;&amp;#x73;tyle'],
    ['\\$\\st</b>yle', '\\$\\st&lt;/b>yle'],
    ['\\st\0yle', '\\st\ufffdyle'],
    ['~~~ mermaid\nx', '~~~ text\nx'],
    ['- x ```\n  - > ```mermaid\nx', '- x ```\n  - > ```text\nx']
  ])('requests nothing: %j', (before, after) => {
    expect(harmless(before)).toBe(after);
  });

  it.each([
    'a < b and *c*',
    'Wow!! [a](b) &#33; &lt;',
    '<details><summary>More</summary>x</details>',
    'see <https://example.org/x>',
    '!![a](data:image/png;base64,AAAA) and ![](data:image/gif;base64,A+/=)',
    'line<br/>line, H<sub>2</sub>O',
    '`a < b!`, `x[0]` and $a < b! \\textstyle$',
    '```mermaids\n```'
  ])('is otherwise as it was: %j', text => {
    expect(harmless(text)).toBe(text);
  });

  it.each([
    ['`List<String>`', 'List<String>'],
    ['`` ![a](x) & ` ``', '![a](x) & `'],
    ['`<img src=x>`', '<img src=x>'],
    ['`f(style="dark")`', 'f(style="dark")']
  ])('has code within lines look as it did: %s', (before, code) => {
    const [, made] = /^<code>([^<]*)<\/code>$/.exec(harmless(before))!;
    const text = made.replace(/&#(\d+);/g, (_, digits: string) =>
      String.fromCharCode(Number(digits))
    );
    expect(text).toBe(code);
    expect(made).not.toMatch(/[[\]()!<"`=]/);
  });

  it('has formulas mean what they did', () => {
    expect(harmless('$i<n$ and $n![k]$')).toBe('$i< n$ and $n! [k]$');
  });

  it('loads no image and has no tag with an address, whatever a reply is made of', () => {
    fc.assert(
      fc.property(hostileMarkdown, reply => {
        const made = [
          harmless(reply),
          quoted(reply),
          markdownCell(reply),
          ...replyCells(reply, 'python')
            .filter(({ type }) => type === 'markdown')
            .map(({ source }) => source)
        ];
        expect(made.flatMap(loads)).toEqual([]);
      }),
      { numRuns: 3000 }
    );
  });

  it.each([
    ['![', 200_000],
    ['!', 400_000],
    ['![a', 200_000],
    ['![a](data:image/png;base64,', 20_000],
    ['<a', 200_000],
    ['<https://a', 40_000],
    ['&#', 200_000],
    ['style ', 100_000],
    ['`', 400_000],
    ['$![', 200_000],
    ['~~~ ', 100_000],
    ['\\a<b>', 100_000],
    ['` <a', 100_000]
  ])('is made in linear time of many %j', (part, count) => {
    const text = part.repeat(count);
    // In what depends on the square of this, it would take minutes.
    expect(harmless(text).length).toBeGreaterThan(text.length / 3);
  });
});

/** What the parser of JupyterLab would load of Markdown, or draw. */
function loads(markdown: string): string[] {
  const found: string[] = [];
  void walkTokens(new Lexer({ gfm: true }).lex(markdown), token => {
    const isHarmless =
      token.type === 'image'
        ? /^data:image\/png;/.test(token.href)
        : token.type === 'html'
          ? tagsOf(token.raw).every(tag => PLAIN.test(tag))
          : token.type !== 'code' || token.lang !== 'mermaid';
    if (!isHarmless) {
      found.push(token.raw);
    }
  });
  return found;
}

function tagsOf(html: string): string[] {
  return html.match(/<[a-z/!?][^>]*>?/gi) ?? [];
}

const PLAIN = /^<(?:\/?[a-z]+\s*\/?|https:\/\/[^\s"]*)>$/;
