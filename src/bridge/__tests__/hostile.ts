/** Replies that would make a notebook request an address, or be taken for something else. */
import fc from 'fast-check';

/** What such replies are made of. */
const piece = fc.constantFrom(
  ...['!', '![', '[', ']', '](', ')', 'a', '(https://evil.test/x)'],
  ...['![a](https://evil.test/x)', '![a](data:image/png;base64,AA==)'],
  ...['(data:image/png;base64,AA==)', '![a][b]', '[b]: https://evil.test/x'],
  ...['<img src="//evil.test/x">', '<', '>', '</b>', '<b', '<div>', '</div>'],
  ...['<pre>', '<script>', '<!--', '<br>', '<details>', '<https://x.test>'],
  ...['<svg/onload=x>', 'style="background:url(//evil.test/x)"', '"', '='],
  ...[
    '\\',
    '\\style',
    'style',
    '{cursor:url(//evil.test/x)}{x}',
    '\\st',
    'yle'
  ],
  ...['&#33;', '&#36;', '&#115;', '&#92;', '&bsol;', '&', '\0', '@@0@@'],
  ...['$', '$$', '\\(', '\\)', '\\\\(', '\\\\)', '\\begin{a}', '\\end{a}'],
  ...['`', '``', '```', '~~~', '```mermaid', '~~~ mermaid', 'mermaid', '```js'],
  ...['\n', '\n\n', '\n', '\n\n', '> ', '- ', '1. ', '    ', '# ', '|', '|-|'],
  ...[' ', '*', '_', '~', '\t', '\r']
);

const pieces = fc.array(piece, { maxLength: 40 }).map(all => all.join(''));

/** What may open and end blocks, where each parser sees other ones. */
const line = fc.tuple(
  fc.constantFrom('', '', '', '', '> ', '- ', '  ', '  - ', '- > ', '  - > '),
  fc.constantFrom(
    ...['', '', '', '```', '```', '~~~', '~~~', '```mermaid', '~~~ mermaid'],
    ...['````', '```js', 'x ```', 'x `', '<!--', '-->', '<svg>', '<script>'],
    ...['</script>', '<div>', '![a](https://evil.test/x)', '<img src="//x">'],
    ...[
      '[a](b "$" style="background:url(//evil.test/x)"$")',
      '$',
      '\\begin{a}'
    ],
    ...['\\end{a}', 'flowchart TD', 'a', '[a]: x "t', '[a]: $x y$ "t', '"']
  )
);

const lines = fc
  .array(line, { maxLength: 14 })
  .map(all => all.map(parts => parts.join('')).join('\n'));

/** Markdown that is made of them. */
export const hostileMarkdown = fc.oneof(pieces, lines);
