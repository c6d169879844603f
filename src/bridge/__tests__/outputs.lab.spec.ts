import type { IOutput } from '@jupyterlab/nbformat';

import { kindOf, type IAttachment } from '../../document/attachments';
import { frozenText } from '../../document/references';
import { depthEnd } from '../htmldepth';
import { htmlText } from '../htmltext';
import { outputAttachments } from '../outputs';

const REFERENCE = { path: 'a.ipynb', name: 'a.ipynb · output of cell 1' };

/** A white pixel, as matplotlib writes it: with line breaks. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/\nPchI7wAAAABJRU5ErkJggg==\n';

/** What pandas 2 makes of a frame with a named index and columns of two levels. */
const PANDAS = `<div>
<style scoped>
    .dataframe tbody tr th { vertical-align: top; }
</style>
<table border="1" class="dataframe">
  <thead>
    <tr><th></th><th colspan="2" halign="left">price</th></tr>
    <tr><th></th><th>min</th><th>max</th></tr>
    <tr><th>shop</th><th></th><th></th></tr>
  </thead>
  <tbody>
    <tr><th>A|B</th><td>1.5</td><td>NaN</td></tr>
    <tr><th>C</th><td>2.0</td><td>3.0</td></tr>
  </tbody>
</table>
<p>2 rows × 2 columns</p>
</div>`;

const attach = (...outputs: IOutput[]): IAttachment[] =>
  outputAttachments(outputs, REFERENCE, 7);

/** The text of outputs that are one attachment. */
function textOf(...outputs: IOutput[]): string | null {
  const attachments = attach(...outputs);
  expect(attachments).toHaveLength(1);
  return frozenText(attachments[0].data);
}

const display = (data: Record<string, unknown>): IOutput =>
  ({ output_type: 'display_data', data, metadata: {} }) as IOutput;

const stream = (text: string | string[], name = 'stdout'): IOutput => ({
  output_type: 'stream',
  name,
  text
});

test('a stream is as a terminal shows it', () => {
  expect(
    textOf(
      stream(['\u001b[32m10%\u001b[0m\r', '50%\r']),
      stream('100%\ndone\n')
    )
  ).toBe('100%\ndone');
  expect(
    textOf(stream('\u001b]8;;https://x.org\u0007here\u001b]8;;\u0007'))
  ).toBe('here');
});

test('texts that follow each other are one attachment, which says where it is from', () => {
  const [only, ...others] = attach(
    stream('out\n'),
    stream('err\n', 'stderr'),
    display({ 'text/plain': '42' })
  );
  expect(others).toEqual([]);
  expect(only.reference).toEqual({ ...REFERENCE, kind: 'output', at: 7 });
  expect(only.data).toBe(
    'Output: a.ipynb · output of cell 1\n\n```\nout\n\nerr\n\n42\n```'
  );
});

test('an error has its name, its value and the traceback, without codes', () => {
  const traceback = [
    '\u001b[31m---------\u001b[39m',
    '\u001b[31mZeroDivisionError\u001b[39m  Traceback (most recent call last)',
    '\u001b[36mCell\u001b[39m\u001b[36m \u001b[39m\u001b[32mIn[1]\u001b[39m\u001b[32m, line 1\u001b[39m',
    '\u001b[31mZeroDivisionError\u001b[39m: division by zero'
  ];
  const error = {
    output_type: 'error',
    ename: 'ZeroDivisionError',
    evalue: 'division by zero',
    traceback
  };
  expect(textOf(error)).toBe(
    '---------\nZeroDivisionError  Traceback (most recent call last)\nCell In[1], line 1\nZeroDivisionError: division by zero'
  );
  expect(textOf({ ...error, traceback: ['somewhere'] })).toBe(
    'ZeroDivisionError: division by zero\nsomewhere'
  );
  expect(
    textOf({
      output_type: 'error',
      ename: 'X',
      evalue: '',
      traceback: 3
    } as never)
  ).toBe('X');
});

test('an error whose value is coloured has it once, without codes', () => {
  expect(
    textOf({
      output_type: 'error',
      ename: 'ValueError',
      evalue: '\u001b[31mred\u001b[0m\u001b(B',
      traceback: [
        '\u001b[31mTraceback\u001b[39m',
        '\u001b[31mValueError\u001b[39m: \u001b[31mred\u001b[0m\u001b(B'
      ]
    })
  ).toBe('Traceback\nValueError: red');
});

test('spaces in a text and its page take no longer than the text is long', () => {
  const text = `a${' '.repeat(4e5)}\nb`;
  expect(textOf(stream(`${text}\n`))).toMatch(/^a +\n… .* …\n +\nb$/);
  const html = `<pre>${text}${' '.repeat(4e5)}c</pre>`;
  expect(textOf(display({ 'text/html': html }))).toMatch(/^a\nb +\n… /);
});

test('a frame of pandas is a Markdown table', () => {
  const bundle = { 'text/html': PANDAS, 'text/plain': 'price …' };
  expect(textOf(display(bundle))).toBe(
    [
      '| shop | price min | price max |',
      '| --- | --- | --- |',
      '| A\\|B | 1.5 | NaN |',
      '| C | 2.0 | 3.0 |',
      '',
      '2 rows × 2 columns'
    ].join('\n')
  );
});

test('cells that span and tables within tables keep their places', () => {
  const html =
    '<table><caption>Sales</caption><tr><th>a<th>b<th>c</tr>' +
    '<tr><td rowspan=2>x<td colspan=2>wide</tr><tr><td>1<br>2<td><table><tr><td>in<td>ner</table></tr>' +
    '<tr><td colspan=999999999 rowspan=70000>end</tr></table>';
  const lines = textOf(display({ 'text/html': html }))!.split('\n');
  expect(lines[0]).toBe('Sales');
  expect(lines[2].startsWith('| a | b | c |')).toBe(true);
  expect(lines[4].startsWith('| x | wide |  |')).toBe(true);
  expect(lines[5].startsWith('|  | 1 2 | in ner |')).toBe(true);
  expect(lines[6].startsWith('| end |  |')).toBe(true);
});

test.each([
  ['spans', '<table><td colspan=1000>x</table>', 500],
  [
    'a header that spans',
    `<table><th colspan=1000>${'x'.repeat(200)}</table>`,
    100
  ],
  ['rows that span', `<table>${'<tr><td rowspan=999>'.repeat(300)}</table>`, 1],
  [
    'a long row below short ones',
    `<table>${'<tr><td>'.repeat(400)}<tr>${'<td>'.repeat(400)}</table>`,
    2
  ]
])('tables with %s do not grow', (_, table, times) => {
  const html = table.repeat(times);
  const { text } = htmlText(html);
  expect(text.length).toBeGreaterThan(times);
  expect(text.length).toBeLessThan(8 * html.length);
});

test.each(['<table><td>x', '<div>x', '<b></i>x', '<ul><li>x'])(
  'of %s without end, only a beginning is parsed',
  start => {
    const parsed = jest.spyOn(DOMParser.prototype, 'parseFromString');
    parsed.mockImplementation(text => {
      parsed.mockRestore();
      const body = document.createElement('body');
      body.textContent = text;
      return { body } as never;
    });
    const { text, gaps } = htmlText(start.repeat(10_000));
    expect(text).toHaveLength(2_000 * start.length);
    expect(gaps).toEqual([{ at: text.length, count: 8_000 * start.length }]);
  }
);

test.each([
  '<tr><td><b>x</b><br><img src="x"><p>y',
  '<svg><g><path d="M0"/></g><path d="M0" /></svg>',
  '<li><div></div>if (a<b) c<n;'
])('%s is not deep, however often it is there', part => {
  const html = part.repeat(5_000);
  expect(depthEnd(html)).toBe(html.length);
});

test('a row with more columns than fit ends with a mark', () => {
  const html = `<table>${'<tr><td>b'.repeat(400)}<tr>${'<td>a'.repeat(400)}</table>`;
  const lines = htmlText(html).text.split('\n');
  expect(lines[2]).toMatch(/^\| b \| [ |]+$/);
  expect(lines[402]).toMatch(/^\| a \| a .* \| … \|$/);
});

test('a long table is cut in the middle, and says how many rows are left out', () => {
  const rows = Array.from({ length: 9_000 }, (_, n) => `<tr><td>${n}</tr>`);
  const html = `<table>${rows.join('')}</table>`;
  const text = textOf(display({ 'text/html': html }))!;
  expect(text).toContain('\n| 0 |\n');
  expect(text.endsWith('\n| 8999 |')).toBe(true);
  expect(text).toMatch(/left out/);
  expect(text.length).toBeLessThan(21_000);
});

test('HTML runs and loads nothing, and without tables it is text', () => {
  const html =
    '<style>p{}</style><script>window.hacked = 1</script><img src=x onerror="window.hacked = 2"><p>One <b>two</b></p><p>three</p><pre>a  b\nc</pre>';
  expect(textOf(display({ 'text/html': html }))).toBe(
    'One two\n\nthree\n\na  b\nc'
  );
  expect(textOf(display({ 'text/html': html, 'text/plain': 'plain' }))).toBe(
    'plain'
  );
  expect(
    textOf(
      display({
        'text/html': '<b>Hi</b>',
        'text/plain': '<IPython.core.display.HTML object>'
      })
    )
  ).toBe('Hi');
  expect('hacked' in window).toBe(false);
});

test('images are images, between the texts around them', () => {
  const [before, image, after] = attach(
    stream('before'),
    display({ 'image/png': PNG, 'text/plain': '<Figure size 640x480>' }),
    stream('after')
  );
  expect(before.name).toBe('a.ipynb · output of cell 1');
  expect(after.name).toBe('a.ipynb · output of cell 1 (3)');
  expect(kindOf(image)).toBe('image');
  expect(image.data).toBe(PNG.replace(/\n/g, ''));
  expect(image.size).toBe(70);
  expect(image.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(image.reference?.kind).toBe('output');
});

test('data that is no image is named instead', () => {
  expect(
    textOf(display({ 'image/png': 'bm90IGFuIGltYWdl', 'text/plain': 'A plot' }))
  ).toBe('A plot\n(an output of type image/png)');
  expect(textOf(display({ 'image/png': '%%%' }))).toBe(
    '(an output of type image/png)'
  );
});

test('other types are named, beside a text that describes them', () => {
  expect(
    textOf(
      display({
        'application/vnd.jupyter.widget-view+json': { model_id: 'x' },
        'text/plain': 'IntSlider(value=0)'
      })
    )
  ).toBe(
    'IntSlider(value=0)\n(an output of type application/vnd.jupyter.widget-view+json)'
  );
  expect(textOf(display({ 'image/svg+xml': '<svg/>' }))).toBe(
    '(an output of type image/svg+xml)'
  );
  expect(textOf({ output_type: 'odd' } as never)).toBe(
    '(an output of type odd)'
  );
});

test('a long text is cut in the middle, and says how much is left out', () => {
  const text = textOf(stream(`start${'😀'.repeat(50_000)}end`))!;
  const [head, said, tail] = text.split('\n');
  expect(said).toMatch(/^… [\d,]+ characters left out …$/);
  const gone = Number(said.replace(/\D/g, ''));
  expect(head.length + gone + tail.length).toBe(100_008);
  expect(head.startsWith('start😀')).toBe(true);
  expect(tail.endsWith('😀end')).toBe(true);
  expect(text).not.toMatch(/\p{Surrogate}/u);
});

/** The most characters that anything which takes long was given while outputs were read. */
function longestRead(read: () => void): number {
  const seen = [0];
  const watch = (
    owner: object,
    name: string,
    size: (...all: any[]) => number
  ) => {
    const real = (owner as any)[name];
    return jest.spyOn(owner as any, name).mockImplementation(function (
      this: unknown,
      ...all: unknown[]
    ) {
      seen.push(size(this, ...all));
      return real.apply(this, all);
    });
  };
  const own = ({ length }: { length: number }) => length;
  const given = (_: unknown, text: unknown) => String(text).length;
  const spies = [
    watch(String.prototype, 'replace', own),
    watch(String.prototype, 'split', own),
    watch(RegExp.prototype, 'test', given),
    watch(window, 'atob', given),
    watch(DOMParser.prototype, 'parseFromString', given)
  ];
  try {
    read();
  } finally {
    spies.forEach(spy => spy.mockRestore());
  }
  return Math.max(...seen);
}

/** As many characters as in a notebook that others would not open. */
const HUGE = 100e6;
const huge = (text: string) => text.repeat(Math.ceil(HUGE / text.length));

const WIDE_ROW = `<tr>${'<td>cell</td>'.repeat(99)}<td>last</td></tr>`;

/** The characters of a text and those that it says are left out. */
const counted = (text: string) =>
  [...text.matchAll(/… ([\d,]+) characters left out …/g)].reduce(
    (sum, [, gone]) => sum + Number(gone.replace(/,/g, '')),
    text.length
  );

test.each<[string, () => IOutput]>([
  ['a stream', () => stream(`first\n${huge('line of text\n')}last`)],
  ['a stream of one line', () => stream(`first\n${huge('x')}\nlast`)],
  ['a stream in lines', () => stream(['first\n', huge('x'), '\nlast'])],
  [
    'a text',
    () => display({ 'text/plain': `first\n${huge('some text ')}\nlast` })
  ],
  [
    'an error',
    () => ({
      output_type: 'error',
      ename: 'E',
      evalue: 'v',
      traceback: ['first', huge('frame\n'), 'E: v', 'last']
    })
  ]
])('of %s of 100 MB, little is read and its ends are sent', (_, make) => {
  const output = make();
  let text = '';
  expect(longestRead(() => (text = textOf(output)!))).toBeLessThanOrEqual(1e6);
  expect(text.length).toBeLessThan(20_100);
  expect(text.startsWith('first\n')).toBe(true);
  expect(text.endsWith('\nlast')).toBe(true);
  expect(text.match(/left out/g)).toHaveLength(1);
  expect(counted(text)).toBeGreaterThan(HUGE);
  expect(counted(text)).toBeLessThan(HUGE + 200);
});

test('what is left out is said where it was, also if the rest is short', () => {
  const bar = (from: string) => huge(`${from}\r`).slice(0, HUGE / 2);
  const text = textOf(stream(`${bar('10%')}50%\n${bar('90%')}100%\ndone`))!;
  expect(text).toMatch(/^10%\n… 99,[\d,]+ characters left out …\n100%\ndone$/);
});

test.each([
  ['a page', '<p>first</p>', `<p>${'x'.repeat(5e5)}</p>`, '<p>last</p>'],
  [
    'a table',
    '<table><tr><td>first</td></tr>',
    `<tr><td>${'x'.repeat(5e5)}</td></tr>`,
    '<tr><td>last</td></tr></table>'
  ],
  [
    'a table of many rows',
    // More than is written.
    `<table><tr><td>first</td></tr>${WIDE_ROW.repeat(40)}`,
    `<tr><td>${'x'.repeat(5e5)}</td></tr>`,
    `${WIDE_ROW.repeat(40)}</table>`
  ],
  [
    'a page with a script',
    '<p>first</p><script>',
    'data = 1;',
    '</script><p>last</p>'
  ]
])('of %s of 100 MB, little is parsed and its ends are sent', (_, ...html) => {
  const [head, middle, tail] = html;
  const output = display({ 'text/html': head + huge(middle) + tail });
  let text = '';
  expect(longestRead(() => (text = textOf(output)!))).toBeLessThanOrEqual(
    2_000_100
  );
  expect(text.length).toBeLessThan(20_100);
  expect(text).toMatch(/^([|\s-]+\n\| )?first/);
  expect(text).toMatch(/last( \|)?(\n… [\d,]+ characters left out …)?$/);
  expect(counted(text)).toBeGreaterThan(HUGE - 2e6);
});

test('of very many outputs, those in the middle are not parsed', () => {
  const parsed = jest.spyOn(DOMParser.prototype, 'parseFromString');
  const table = (word: string) =>
    display({
      'text/html': `<table><tr><td>${word}</td></tr></table><!--${'x'.repeat(2e4)}-->`
    });
  const text = textOf(
    stream('first'),
    ...Array.from({ length: 5_000 }, (_, n) => table(`row ${n}`)),
    stream('last')
  )!;
  expect(parsed.mock.calls.length).toBeLessThan(110);
  parsed.mockRestore();
  expect(text).toMatch(/^first\n/);
  expect(text).toMatch(/\nlast$/);
  expect(text).toContain('row 0');
  expect(text).toContain('row 4999');
  expect(text.match(/left out/g)).toHaveLength(1);
  expect(counted(text)).toBeGreaterThan(98e6);
});

test('of base64 of 100 MB, nothing is decoded', () => {
  const output = display({ 'image/png': huge('A') });
  let text = '';
  expect(longestRead(() => (text = textOf(output)!))).toBeLessThan(100);
  expect(text).toBe('(an output of type image/png)');
});

test('no output, or one without content, is nothing', () => {
  expect(attach()).toEqual([]);
  expect(
    attach(stream(' \n'), display({}), { output_type: 'display_data' } as never)
  ).toEqual([]);
});
