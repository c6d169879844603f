import { Sanitizer } from '@jupyterlab/apputils';
import { renderMarkdown } from '@jupyterlab/rendermime';
import fc from 'fast-check';

import { drawn, RealParts } from '../../render/__tests__/parts';
import { quoted } from '../origins';
import { markdownCell, replyCells } from '../replycells';
import { hostileMarkdown } from './hostile';

const parts = new RealParts();

/** What JupyterLab would request when it shows a Markdown cell with this source. */
async function requests(source: string): Promise<string[]> {
  const host = document.createElement('div');
  drawn.length = 0;
  await renderMarkdown({
    host,
    source,
    trusted: false,
    sanitizer: new Sanitizer(),
    markdownParser: parts.markdownParser,
    resolver: null,
    linkHandler: null,
    shouldTypeset: false,
    latexTypesetter: null
  });
  const attributes = [...host.querySelectorAll('*')].flatMap(element =>
    [...element.attributes]
      .filter(
        ({ name, value }) =>
          /style|src|poster|background|^data$/.test(name) &&
          !/^data:image\/png;base64,/.test(value)
      )
      .map(({ name, value }) => `${element.localName} ${name}=${value}`)
  );
  return [...drawn, ...attributes, ...macros(host)];
}

/** The formulas’ styles that MathJax would read; it leaves code alone. */
function macros(host: HTMLElement): string[] {
  for (const code of host.querySelectorAll('code, pre')) {
    code.textContent = '';
  }
  host.normalize();
  const texts = document.createNodeIterator(host, NodeFilter.SHOW_TEXT);
  const found: string[] = [];
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    found.push(...(node.nodeValue!.match(/\\style(?![a-z]).*/g) ?? []));
  }
  return found;
}

describe('a Markdown cell in JupyterLab', () => {
  it.each([
    '![a](https://evil.test)',
    '[a](b "$" style="background:url(https://evil.test)"$")',
    '```mermaid\nflowchart\n```',
    '&#36;\\st</b>yle{cursor:url(https://evil.test)}{x}&#36;'
  ])('would request what a reply names: %j', async source => {
    expect(await requests(source)).not.toEqual([]);
    expect(await requests(markdownCell(source))).toEqual([]);
    expect(await requests(quoted(source))).toEqual([]);
  });

  it.each([
    // The text of a list's item is one of its own, in which HTML would last.
    '1. a\n   ```\n   x\n   ```\n   <pre>\n\n```html\n<img src="//evil.test">\n```',
    // What the parser takes for HTML has the start of a block.
    '<script>\n```\n</script>\n\n```\n![a](//evil.test)\n```',
    '<script>\n```mermaid\nflowchart\n```\n</script>',
    // A fence in the prose, which the next code ends.
    '<svg>\n~~~\n\n```\n~~~\n![a](https://evil.test/x)\n```',
    '<svg>\n```\n\n````\n```\n![a](https://evil.test/x)\n````',
    '<svg>\n~~~\n\n```\n~~~\n[a](b "$" style="background:url(//evil.test)"$")\n```',
    // The title of an address, which lasts beyond empty lines; there is none before the formula is taken out.
    '<!--\n\n[a]: x "t\n\n-->\n\n```\n"\n![a](https://evil.test/x)\n```',
    '<!--\n\n[a]: $x y$ "t\n\n-->\n\n```\n"\n![a](https://evil.test/x)\n```',
    // The backticks are the end of code within a line, were it not for the comment.
    '<!--\n\n- x ```\n  - > ```mermaid\n    > flowchart TD\n    > ```'
  ])(
    'requests nothing where a piece is read in another way: %j',
    async reply => {
      expect(await requests(markdownCell(reply))).toEqual([]);
      expect(await requests(quoted(reply))).toEqual([]);
      for (const { source } of replyCells(reply, null)) {
        expect(await requests(source)).toEqual([]);
      }
    }
  );

  it('requests nothing, whatever a reply is made of', async () => {
    await fc.assert(
      fc.asyncProperty(hostileMarkdown, async reply => {
        for (const source of [
          quoted(reply),
          markdownCell(reply),
          ...replyCells(reply, 'python')
            .filter(({ type }) => type === 'markdown')
            .map(cell => cell.source)
        ]) {
          expect(await requests(source)).toEqual([]);
        }
      }),
      { numRuns: 500 }
    );
  });
});
