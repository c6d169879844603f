import fc from 'fast-check';

import { findMath } from '../formulas';

const found = (source: string): string[] =>
  findMath(source).map(({ tex }) => tex);

describe('formulas', () => {
  it.each([
    ['The area is $\\pi r^2$.', ['$\\pi r^2$']],
    ['($x$), "$y$" and **$z$**', ['$x$', '$y$', '$z$']],
    ['Inline \\(a+b\\) here', ['\\(a+b\\)']],
    ['\\( x_1 \\) and \\(x_2\\)', ['\\( x_1 \\)', '\\(x_2\\)']],
    ['So:\n\n\\[\nE = mc^2\n\\]\n\nDone.', ['\\[\nE = mc^2\n\\]']],
    ['$$\n\\int_0^1 x\\,dx\n$$', ['$$\n\\int_0^1 x\\,dx\n$$']],
    ['$$a \\text{ if $b$}$$', ['$$a \\text{ if $b$}$$']],
    [
      '\\begin{align*}\na &= b \\\\\nc &= d\n\\end{align*}',
      ['\\begin{align*}\na &= b \\\\\nc &= d\n\\end{align*}']
    ],
    ['As notebooks have it: \\\\(x\\\\)', ['\\(x\\)']],
    ['> $$\n> a\n> $$', ['$$\na\n$$']],
    ['$x<y$ and $a>b$', ['$x<y$', '$a>b$']],
    ['| $a|b$ | $|c|$ |', ['$a|b$', '$|c|$']],
    ['It is $6$, not $5 or so', ['$6$']]
  ])('are found in %j', (source, formulas) => {
    expect(found(source)).toEqual(formulas);
  });

  it.each([
    'between $5 and $6',
    'from $5-$6, or US$5 and CA$6',
    'It costs $5 per kg (A$).',
    'a $1,000 budget and a $2k one$',
    'escaped \\$x\\$ and lone $',
    '`$x$` and ``$y`$``',
    '```\n$x$\n```',
    '- item\n  ~~~tex\n  $x$\n  ~~~',
    '```\n$x$ in code that is still being written',
    'https://example.com/?a=$b$&c=\\(d\\)',
    '[link](path/$a$)',
    'call f\\(x\\) and see \\[1\\], \\[2, 3\\], \\[x\\] or \\[ \\]',
    'opened $x\n\nclosed$ elsewhere',
    '\\begin{a} \\end{b}',
    '$ x$ and $y $',
    '$$$$ and \\(\\)'
  ])('are not found in %j', source => {
    expect(found(source)).toEqual([]);
  });

  it('lie in the text one after the other, with nothing between delimiters and places', () => {
    const piece = fc.constantFrom(
      ...['$', '$$', '\\(', '\\)', '\\[', '\\]', '`', '```', '\n', '\n\n'],
      ...['\\begin{a}', '\\end{a}', 'x', ' ', '5', '\\', '> ', '- ', '~~~']
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), pieces => {
        const source = pieces.join('');
        let from = 0;
        for (const { start, end } of findMath(source)) {
          expect(start).toBeGreaterThanOrEqual(from);
          expect(end).toBeGreaterThan(start);
          expect(source.slice(start, end)).not.toMatch(/\n\n/);
          from = end;
        }
        expect(from).toBeLessThanOrEqual(source.length);
      })
    );
  });
});
