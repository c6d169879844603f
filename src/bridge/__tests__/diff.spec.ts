import fc from 'fast-check';

import { applyHunks, HunkError } from '../applyhunks';
import { looksLikeDiff, MAX_DIFF, parseDiff } from '../unifieddiff';
import { makeDiff } from './makediff';

/** Lines that look like parts of a diff, with every kind of end. */
const line = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '-',
    '+',
    '-- a/x',
    '++ b/x',
    '@@ -1,2 +1,2 @@',
    '\\ No newline at end of file',
    'diff --git a/x b/x',
    '}',
    '}\r',
    '\r'
  ),
  fc.string({ maxLength: 6 }).map(text => text.replace(/\n/g, ''))
);
const text = fc
  .tuple(fc.array(line, { maxLength: 24 }), fc.boolean())
  .map(([lines, ends]) =>
    lines.length ? lines.join('\n') + (ends ? '\n' : '') : ''
  );

describe('a unified diff', () => {
  it('applied to what it was made from gives what it was made to', () => {
    fc.assert(
      fc.property(
        text,
        text,
        fc.integer({ min: 0, max: 3 }),
        (a, b, context) => {
          fc.pre(a !== b);
          const diff = makeDiff(a, b, { context });
          // New lines end as those of the file where the diff has no other ends.
          fc.pre(!a.includes('\r\n') || diff.includes('\r\n'));
          const [file] = parseDiff(diff);
          expect(file.from).toBe('file.txt');
          expect(applyHunks(a, file.hunks)).toBe(b);
        }
      ),
      { numRuns: 1000 }
    );
  });

  it('is found beside the line that it names', () => {
    const lines = Array.from({ length: 60 }, (_, n) => `line ${n}`);
    const a = `${lines.join('\n')}\n`;
    const b = a.replace('line 30\n', 'thirty\n');
    const [{ hunks }] = parseDiff(makeDiff(a, b));
    const more = 'new\nnewer\n';
    expect(applyHunks(more + a, hunks)).toBe(more + b);
    expect(applyHunks(a.replace('line 1\n', ''), hunks)).toBe(
      b.replace('line 1\n', '')
    );
  });

  it('is read with wrong counts and without numbers', () => {
    const head = '--- a/x.py\n+++ b/x.py\n';
    const body = ' one\n-two\n+zwei\n three\n';
    for (const at of ['@@ -1,9 +1,1 @@', '@@', '@@ ... @@', '@@ def f():']) {
      const [file] = parseDiff(`${head}${at}\n${body}`);
      expect(applyHunks('one\ntwo\nthree\n', file.hunks)).toBe(
        'one\nzwei\nthree\n'
      );
    }
  });

  it('without a number has to fit in one place alone', () => {
    const [{ hunks }] = parseDiff('--- a/x\n+++ b/x\n@@\n-a\n+b\n');
    expect(() => applyHunks('a\nc\na\n', hunks)).toThrow(
      expect.objectContaining({ hunk: 0, reason: 'ambiguous' })
    );
  });

  it('says which change does not fit', () => {
    const a = 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n';
    const b = a.replace('b', 'B').replace('k', 'K');
    const [{ hunks }] = parseDiff(makeDiff(a, b, { context: 1 }));
    expect(hunks).toHaveLength(2);
    expect(() => applyHunks(a.replace('k', 'x'), hunks)).toThrow(
      expect.objectContaining({ hunk: 1, reason: 'missing' })
    );
  });

  it('keeps the line ends of the file, which a reply cannot show', () => {
    const [{ hunks }] = parseDiff(makeDiff('a\nb\nc\n', 'a\nB\nbb\nc\n'));
    expect(applyHunks('a\r\nb\r\nc\r\n', hunks)).toBe('a\r\nB\r\nbb\r\nc\r\n');
    // Models forget to say that the last line has no end.
    expect(applyHunks('a\nb\nc', hunks)).toBe('a\nB\nbb\nc');
  });

  it.each([
    ['a\nb', '@@ -2 +2,2 @@\n b\n+c\n', 'a\nb\nc'],
    ['a\nb', '@@ -2,0 +3 @@\n+c\n', 'a\nb\nc'],
    ['a\r\nb', '@@ -2 +2,2 @@\n b\n+c\n', 'a\r\nb\r\nc'],
    [
      'a\r\nb',
      '@@ -2 +2,2 @@\n-b\n\\ No newline at end of file\n+b\n+c\n',
      'a\r\nb\r\nc\r\n'
    ],
    [
      'a\r\nb\r\n',
      '@@ -2 +2,2 @@\n b\n+c\n\\ No newline at end of file\n',
      'a\r\nb\r\nc'
    ]
  ])('adds to the end of %j', (file, hunk, changed) => {
    const [{ hunks }] = parseDiff(`--- a/x\n+++ b/x\n${hunk}`);
    expect(applyHunks(file, hunks)).toBe(changed);
  });

  it('without context takes the line ends of the file too', () => {
    const [{ hunks }] = parseDiff('--- a/x\n+++ b/x\n@@ -1,0 +2 @@\n+b\n');
    expect(applyHunks('a\r\nc\r\n', hunks)).toBe('a\r\nb\r\nc\r\n');
    expect(applyHunks('a\nc\r\nd\n', hunks)).toBe('a\nb\nc\r\nd\n');
  });

  it.each([
    ['@@ -1 +1 @@\n-a\n+b\n', '\ufeffb\n'],
    ['@@ -1 +1 @@\n-\ufeffa\n+\ufeffb\n', '\ufeffb\n'],
    ['@@ -0,0 +1 @@\n+b\n', '\ufeffb\na\n']
  ])('keeps the byte order mark of the file: %j', (hunk, changed) => {
    const [{ hunks }] = parseDiff(`--- a/x\n+++ b/x\n${hunk}`);
    expect(applyHunks('\ufeffa\n', hunks)).toBe(changed);
  });

  it('of several files is read with git’s headers', () => {
    const files = parseDiff(
      [
        'Here it is:',
        'diff --git a/one.py b/one.py',
        'index 123..456 100644',
        makeDiff('1\n', '2\n', { path: 'one.py' }).trimEnd(),
        'diff --git a/two/three.txt b/two/three.txt',
        'new file mode 100644',
        makeDiff('', 'new\n', { path: 'two/three.txt', isNew: true })
      ].join('\n')
    );
    expect(files.map(({ from, to }) => [from, to])).toEqual([
      ['one.py', 'one.py'],
      [null, 'two/three.txt']
    ]);
    expect(applyHunks('', files[1].hunks)).toBe('new\n');
  });

  it('is recognized by its headers', () => {
    expect(looksLikeDiff(makeDiff('a\n', 'b\n'))).toBe(true);
    expect(looksLikeDiff('--- a title\n\ntext\n')).toBe(false);
    expect(looksLikeDiff('- a\n+ b\n')).toBe(false);
  });
});

describe('a hostile diff', () => {
  it('does nothing but fit or not', () => {
    fc.assert(
      fc.property(text, fc.array(line, { maxLength: 30 }), (file, lines) => {
        const diff = `--- a/x\n+++ b/x\n@@ -1 +1 @@\n${lines.join('\n')}`;
        for (const { hunks } of parseDiff(diff)) {
          try {
            expect(typeof applyHunks(file, hunks)).toBe('string');
          } catch (error) {
            expect(error).toBeInstanceOf(HunkError);
          }
        }
      }),
      { numRuns: 500 }
    );
  });

  it('with huge numbers does not fit', () => {
    const [{ hunks }] = parseDiff(
      '--- a/x\n+++ b/x\n@@ -999999999,0 +999999999,1 @@\n+x\n'
    );
    expect(() => applyHunks('a\n', hunks)).toThrow(HunkError);
  });

  it('that would be compared for minutes is given up', () => {
    const same = 'x\n'.repeat(20_000);
    const old = ' x\n'.repeat(10_000);
    const [{ hunks }] = parseDiff(
      `--- a/x\n+++ b/x\n@@ -1,10001 +1,10000 @@\n${old}-y\n`
    );
    expect(() => applyHunks(same, hunks)).toThrow(
      expect.objectContaining({ reason: 'long' })
    );
  });

  it('fits into a file of many lines', () => {
    const file = 'x\n'.repeat(400_000);
    const [{ hunks }] = parseDiff(makeDiff('x\nx\n', 'x\ny\nx\n'));
    expect(applyHunks(file, hunks)).toBe(`x\ny\n${file.slice(2)}`);
  });

  it('has lines that are as long as a diff may be', () => {
    // Where each place in a line is compared with all others, this would take minutes.
    const ands = ' and'.repeat(200_000);
    expect(parseDiff(`Binary files${ands} `)).toEqual([]);
    expect(parseDiff(`Binary files x${ands} y differ`)).toMatchObject([
      { from: `x${ands.slice(0, -4)}`, to: 'y', without: 'binary' }
    ]);
    const path = 'x b/'.repeat(60_000);
    expect(parseDiff(`diff --git a/${path}x b/${path}x`)).toMatchObject([
      { from: `${path}x`, to: `${path}x` }
    ]);
    const renamed = [
      `diff --git a/${path}x b/${path}y`,
      `rename from ${path}x`,
      `rename to ${path}y`
    ];
    expect(parseDiff(renamed.join('\n'))).toMatchObject([
      { from: `${path}x`, to: `${path}y` }
    ]);
  });

  it('that is too long is not read', () => {
    const long = `--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n${'+x\n'.repeat(MAX_DIFF / 3)}`;
    expect(parseDiff(long)).toEqual([]);
    expect(looksLikeDiff(long)).toBe(false);
  });
});
