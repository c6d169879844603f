import { YNotebook } from '@jupyter/ydoc';

import type { IRun } from '../../base/run';
import { Pair } from '../../document/pair';
import { lacksCell, withShownCell, withWholeCell } from '../wholecell';

const OUTPUT = {
  output_type: 'display_data',
  data: { 'text/plain': 'large' },
  metadata: {}
};

const CELL = {
  cell_type: 'code',
  id: 'p',
  source: 'Look',
  metadata: {},
  outputs: [OUTPUT],
  execution_count: null
};

/** A run as the server reports it: without the large output. */
const CUT = {
  id: 'r',
  pair: 'p',
  cellCut: true,
  cell: { ...CELL, outputs: [] }
} as unknown as IRun;

const api = { getCell: jest.fn(async () => CELL as unknown as IRun['cell']) };

function notebookWith(...cells: object[]): YNotebook {
  const notebook = new YNotebook();
  notebook.fromJSON({
    cells,
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5
  } as any);
  return notebook;
}

describe('the cell of a run', () => {
  beforeEach(() => jest.spyOn(console, 'warn').mockImplementation());
  afterEach(() => jest.restoreAllMocks());

  it('is fetched if the document lacks the pair', async () => {
    expect(lacksCell(notebookWith(), CUT)).toBe(true);
    const whole = await withWholeCell(api, CUT);
    expect(api.getCell).toHaveBeenCalledWith('r');
    expect(whole.cell.outputs).toEqual([OUTPUT]);
    expect(lacksCell(notebookWith(), whole)).toBe(false);
  });

  it('is the one in the document if the pair is there', () => {
    const notebook = notebookWith(CELL);
    expect(lacksCell(notebook, CUT)).toBe(false);
    const { cell } = withShownCell(notebook, CUT);
    expect(cell).toEqual(Pair.find(notebook, 'p')!.toJSON());
  });

  it('stays as it is if it is whole', async () => {
    const { cellCut: _, ...whole } = CUT;
    const run = whole as IRun;
    expect(await withWholeCell(api, run)).toBe(run);
    expect(withShownCell(notebookWith(CELL), run)).toBe(run);
  });
});
