import { quoted } from '../origins';
import { markdownCell, notebookLanguage, replyCells } from '../replycells';

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
      source: '`````text\n````\n`````'
    });
  });

  it('keeps code as it is, also that of diagrams, which are not drawn', () => {
    const code =
      'flowchart\nA@{ img: "//evil.test" } ![a](x) <img> $a<b$ `<i>`';
    const fence = '```';
    const source = `${fence}text\n${code}\n${fence}`;
    for (const reply of [
      `${fence}mermaid\n${code}\n${fence}`,
      `~~~ Mermaid x\n${code}\n~~~`,
      code.replace(/^/gm, '    ')
    ]) {
      expect(replyCells(reply, 'python')).toEqual([
        { type: 'markdown', source }
      ]);
    }
  });

  it('has diagrams as code also where they are not taken out', () => {
    const diagram = '```mermaid\nflowchart\n```';
    const shown = '```text\nflowchart\n```';
    expect(quoted(diagram)).toBe(shown.replace(/^/gm, '> '));
    // It is no code for the parser, but for that of what is left.
    expect(replyCells(`<script>\n${diagram}\n</script>`, 'python')).toEqual([
      { type: 'markdown', source: `&lt;script>\n${shown}\n&lt;/script>` }
    ]);
    const long = 'flowchart\n'.repeat(20_000);
    const [cell] = replyCells(`~~~mermaid\n${long}~~~`, 'python');
    expect(cell.source).toBe(`~~~text\n${long}~~~`);
  });

  it('keeps code in one cell, also below prose that opens a fence', () => {
    const code = '~~~\n![a](//evil.test) & <b>';
    const below = (prose: string, text = code) =>
      markdownCell(`${prose}\n\n\`\`\`js\n${text}\n\`\`\``);
    expect(below('Look:')).toBe(`Look:\n\n\`\`\`js\n${code}\n\`\`\``);
    const fence = '&lt;svg>\n~~~\n\n';
    expect(below('<svg>\n~~~', 'x = 1')).toBe(
      `${fence}\`\`\`js\nx = 1\n\`\`\``
    );
    const [, made] = /<pre><code>([^<]*)<\/code><\/pre>$/.exec(
      below('<svg>\n~~~')
    )!;
    expect(made).not.toMatch(/[![\]()<~`]/);
    const text = made.replace(/&#(\d+);/g, (_, digits: string) =>
      String.fromCharCode(Number(digits))
    );
    expect(text).toBe(code);
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
