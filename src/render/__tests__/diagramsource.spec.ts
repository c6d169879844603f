import fc from 'fast-check';

import { readDiagram } from '../diagramsource';

const read = (source: string) => readDiagram(source, 'default');

/** The text that is drawn, without the settings before it. */
function drawn(source: string): string {
  const result = read(source);
  return result.kind === 'drawable'
    ? result.text.replace(/^---\n.*\n---\n/, '').trimEnd()
    : result.kind;
}

describe('readDiagram', () => {
  it.each([
    'graph TD; A-->B',
    'flowchart LR\n  A[One<br/>line] -->|"a < b"| B(Two)\n  style A fill:#f9f,stroke:#333',
    'sequenceDiagram\n  A->>B: Hello\n  B-->>A: Bye',
    'classDiagram\n  class A {\n    <<interface>>\n  }\n  B <|-- A',
    'stateDiagram-v2\n  [*] --> A\n  state f <<fork>>',
    'erDiagram\n  A ||--o{ B : has',
    'gantt\n  dateFormat YYYY-MM-DD\n  A :2024-01-01, 30d',
    'pie\n  "Dogs" : 386000'
  ])('leaves an ordinary diagram as it is: %s', source => {
    expect(drawn(source)).toBe(source);
  });

  it('has no settings but its own, and keeps the title', () => {
    const result = readDiagram(
      '---\ntitle: "My <b>plan</b>"\nconfig:\n  securityLevel: loose\n  themeCSS: "x"\n---\n' +
        '%%{init: {"securityLevel": "loose",\n "themeCSS": "@import url(x)"}}%%\n%% a comment\ngraph TD; A-->B',
      'dark'
    );
    expect(result).toMatchObject({ kind: 'drawable', title: 'My bplan/b' });
    const { text } = result as { text: string };
    const [, head, , ...body] = text.split('\n');
    expect(JSON.parse(head)).toEqual({
      title: 'My bplan/b',
      config: {
        theme: 'dark',
        htmlLabels: false,
        flowchart: { htmlLabels: false },
        class: { htmlLabels: false }
      }
    });
    expect(body.join('\n').trim()).toBe('graph TD; A-->B');
  });

  it.each([
    [
      'graph TD; A[<img src=x onerror=y>]',
      'graph TD; A[#lt;img src=x onerror=y>]'
    ],
    ['graph TD; A[<b>bold</b>]', 'graph TD; A[bold]'],
    [
      'graph TD; A[&lt;svg&#60;p&#x3C;q#60;r]',
      'graph TD; A[#lt;svg#lt;p#lt;q#lt;r]'
    ],
    ['graph TD; A["$$\\frac{1}{2}$$"]', 'graph TD; A["$\\frac{1}{2}$"]'],
    [
      'graph TD; A[x<y </p <!-- <?x]',
      'graph TD; A[x#lt;y #lt;/p #lt;!-- #lt;?x]'
    ],
    ['graph TD; A[<<img src=x>>]', 'graph TD; A[<#lt;img src=x>>]']
  ])('makes HTML and formulas text: %s', (source, text) => {
    expect(drawn(source)).toBe(text);
  });

  it.each([
    'graph TD; A; style A fill:url(http://x)',
    'graph TD; A; style A fill:URL(#x)',
    'graph TD; A; style A fill:\\75rl(x)',
    'graph TD; A; style A fill:\\000075 rl(x)',
    'graph TD; A; style A fill:u\\rl(x)',
    'graph TD; classDef a background:image-set("x" 1x)',
    'graph TD; A; @import "x"',
    'graph TD; A@{ img: "http://x", label: "y" }',
    'graph TD; A@{ "\\u0069mg": "http://x" }',
    'graph TD; A %%{init: {"themeCSS": "x"}'
  ])('refuses what may load something: %s', source => {
    expect(drawn(source)).toBe('outside');
  });

  it.each([
    '',
    'hello',
    '%%{init: {}}%%',
    'C4Context\n  Person(a, "b", "c", "http://x")',
    'graph TD; A[C4Container]',
    'architecture-beta\n  group api(cloud)[API]',
    'block-beta\n  columns 1000000000',
    'flowchart-elk TD; A-->B',
    'info'
  ])('refuses kinds that it does not know: %s', source => {
    expect(drawn(source)).toBe('unknown');
  });

  it.each([
    `graph TD; A[${'x'.repeat(100_000)}]`,
    `graph TD; ${'A-->B;'.repeat(400)}`,
    `graph TD; ${'A-->'.repeat(700)}B`,
    `graph TD; ${'a & '.repeat(20)}b --> ${'c & '.repeat(20)}d`,
    `graph TD\n${'subgraph s\n'.repeat(30)}${'end\n'.repeat(30)}`,
    'gantt\n  dateFormat YYYY\n  excludes weekends\n  A :1000, 9999',
    'gantt\n  A :2024-01-01, 1000000000d'
  ])('refuses what takes too long: %.40s', source => {
    expect(drawn(source)).toBe('large');
  });

  it('lets no tag, address or setting through, whatever is around it', () => {
    const bits = fc.constantFrom(
      ...[
        '<',
        '>',
        '<img src=x>',
        '<br>',
        '<<',
        '&lt;',
        '#60;',
        '%%{',
        '}%%',
        '%',
        '{'
      ],
      ...[
        '$',
        '$$',
        'url(',
        '\\',
        '\n',
        '---',
        ' ',
        'A',
        '-->',
        'style A fill:',
        '@{',
        'img',
        '\r'
      ]
    );
    fc.assert(
      fc.property(fc.array(bits, { maxLength: 30 }), all => {
        const text = drawn(`graph TD\n${all.join('')}`);
        expect(text).not.toMatch(/<[a-z][\w]*[\s/]+[^>]*=|%%\{|\$\$|url\(/i);
        // What is left of tags has no attributes.
        expect(text).not.toMatch(/<(?!br\/>|\w+>>)[a-z]/i);
      })
    );
  });
});
