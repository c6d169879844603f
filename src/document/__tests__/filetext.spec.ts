import { notebookIn, trustCells } from '../filetext';

const cell = {
  cell_type: 'code',
  id: 'one',
  metadata: {},
  source: 'hi',
  outputs: [],
  execution_count: null
};

function fileOf(
  cells: unknown[] = [cell],
  entries: Record<string, unknown> = {}
): string {
  const all = { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 };
  return JSON.stringify({ ...all, ...entries });
}

/** A list in a list in a list. */
function nested(levels: number): unknown[] {
  return levels > 1 ? [nested(levels - 1)] : [];
}

describe('notebookIn', () => {
  it('gives a notebook as it is', () => {
    const text = fileOf();
    expect(notebookIn(text)).toEqual(JSON.parse(text));
  });

  it('joins the lines of texts, and leaves lists in JSON alone', () => {
    const data = {
      'text/markdown': ['a\n', 'b'],
      'image/svg+xml': ['<svg>\n', '</svg>'],
      'application/vnd.turnbook.tool+json': ['a', 'b'],
      'application/json': ['a', 'b'],
      'text/plain': [1]
    };
    const outputs = [
      { output_type: 'display_data', metadata: {}, data },
      { output_type: 'stream', name: 'stdout', text: ['c\n', 'd'] },
      { output_type: 'error', ename: 'E', evalue: '', traceback: ['e', 'f'] }
    ];
    const text = fileOf([
      { ...cell, source: ['x\n', 'y'], outputs },
      {
        cell_type: 'markdown',
        id: 'two',
        metadata: {},
        source: ['n\n', 'm'],
        attachments: { 'a.txt': { 'text/plain': ['o\n', 'p'] } }
      }
    ]);
    const [code, note] = notebookIn(text)!.cells as any[];
    expect(code.source).toBe('x\ny');
    expect(code.outputs[0].data).toEqual({
      'text/markdown': 'a\nb',
      'image/svg+xml': '<svg>\n</svg>',
      'application/vnd.turnbook.tool+json': ['a', 'b'],
      'application/json': ['a', 'b'],
      'text/plain': [1]
    });
    expect(code.outputs[1].text).toBe('c\nd');
    expect(code.outputs[2].traceback).toEqual(['e', 'f']);
    expect(note.source).toBe('n\nm');
    expect(note.attachments['a.txt']['text/plain']).toBe('o\np');
  });

  it('never reads that a cell is trusted, nor what another version noted', () => {
    const metadata = { signature: 's', orig_nbformat: 3, mine: 1 };
    const text = fileOf([{ ...cell, metadata: { trusted: true, mine: 2 } }], {
      metadata
    });
    const found = notebookIn(text)!;
    expect(found.cells[0].metadata).toEqual({ mine: 2 });
    expect(found.metadata).toEqual({ mine: 1 });
  });

  it('marks all code as trusted where the server trusts the notebook', () => {
    const note = { ...cell, cell_type: 'markdown', id: 'two' };
    const text = fileOf([
      { ...cell, metadata: { trusted: false, mine: 2 } },
      { ...note, metadata: { trusted: true } }
    ]);
    const found = notebookIn(text)!;
    trustCells(found);
    const marks = found.cells.map(each => each.metadata);
    expect(marks).toEqual([{ trusted: true, mine: 2 }, {}]);
  });

  it('reads what is nested as deep as anybody needs', () => {
    const text = fileOf([cell], { metadata: { deep: nested(98) } });
    expect(notebookIn(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['nothing', ''],
    ['half a file', fileOf().slice(0, 60)],
    ['a number that JSON has no form for', fileOf().replace('null', 'NaN')],
    ['a byte order mark', `\ufeff${fileOf()}`],
    ['no object', '[]'],
    ['null', 'null'],
    ['an older notebook', fileOf([cell], { nbformat_minor: 4 })],
    ['a much older one', fileOf([cell], { nbformat: 3 })],
    ['a newer one', fileOf([cell], { nbformat_minor: 6 })],
    [
      'what nbformat could not write',
      fileOf([cell], { metadata: { deep: nested(900) } })
    ],
    [
      'lists that are too deep',
      fileOf([cell], { metadata: { deep: nested(99) } })
    ],
    [
      'objects that are too deep',
      fileOf([{ ...cell, metadata: '#' }]).replace(
        '"#"',
        `${'{"__proto__":'.repeat(97)}{}${'}'.repeat(97)}`
      )
    ],
    ['no cells', fileOf([cell], { cells: {} })],
    ['no metadata', fileOf([cell], { metadata: null })],
    ['an id twice', fileOf([cell, { ...cell }])],
    ['no id', fileOf([{ ...cell, id: undefined }])],
    ['an odd id', fileOf([{ ...cell, id: 'a b' }])],
    ['a long id', fileOf([{ ...cell, id: 'a'.repeat(65) }])],
    ['a cell that is none', fileOf([null])],
    ['an unknown cell', fileOf([{ ...cell, cell_type: 'heading' }])],
    ['no source', fileOf([{ ...cell, source: undefined }])],
    ['a source of numbers', fileOf([{ ...cell, source: [1] }])],
    ['cell metadata of another type', fileOf([{ ...cell, metadata: [] }])],
    ['no outputs', fileOf([{ ...cell, outputs: undefined }])],
    ['an output that is none', fileOf([{ ...cell, outputs: ['x'] }])],
    [
      'an output without data',
      fileOf([
        { ...cell, outputs: [{ output_type: 'display_data', metadata: {} }] }
      ])
    ],
    [
      'an output of an unknown type',
      fileOf([{ ...cell, outputs: [{ output_type: 'odd' }] }])
    ]
  ])('leaves to the server: %s', (_, text) => {
    expect(notebookIn(text)).toBeNull();
  });
});
