import { withoutCodes } from '../terminal';

test.each([
  ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
  ['what tput sgr0 writes', '\u001b(B\u001b[mplain', 'plain'],
  ['a saved cursor', '\u001b7up\u001b8', 'up'],
  ['a link', '\u001b]8;;https://x.org\u0007here\u001b]8;;\u001b\\', 'here'],
  ['a title without an end', '\u001b]0;busy\nnext', '\nnext'],
  ['a title before a colour', '\u001b]0;busy\u001b[31mred', 'red'],
  ['a picture of many lines', '\u001bPq#0\n#1\u001b\\done', 'done'],
  ['a colour that is cut', 'end\u001b[3', 'end'],
  ['a mode', '\u001b[?25l\u001b=a\u001b>', 'a'],
  ['an escape alone', 'a\u001b', 'a'],
  ['brackets', '[0m] ]8;; (B', '[0m] ]8;; (B']
])('%s', (_, text, seen) => {
  expect(withoutCodes(text)).toBe(seen);
});

test('many sequences without an end take no longer', () => {
  expect(withoutCodes('\u001b]0;\n'.repeat(200_000))).toBe(
    '\n'.repeat(200_000)
  );
});
