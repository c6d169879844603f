import type { ICodeCellModel } from '@jupyterlab/cells';
import { NotebookModel, type NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import { bestMatches } from '../../chat/composer/references/match';
import { CellIndex, headOf, readAll } from '../cellindex';
import { cellProvider, OpenCells, outputProvider } from '../cellproviders';
import { openNotebook } from './opennotebook';

const CHAT = {} as never;
const signal = new AbortController().signal;

/** A notebook with so many cells that print, which nobody draws. */
function large(count: number): NotebookPanel {
  const model = new NotebookModel();
  // Yjs warns of each cell that JupyterLab makes.
  const warn = jest.spyOn(console, 'warn').mockImplementation();
  model.sharedModel.insertCells(
    0,
    Array.from({ length: count }, (_, n) => ({
      cell_type: 'code',
      source: `print(${n})`,
      outputs: [{ output_type: 'stream', name: 'stdout', text: `${n}` }]
    }))
  );
  warn.mockRestore();
  const signal = () => new Signal<unknown, void>(model);
  return {
    model,
    disposed: signal(),
    context: { localPath: 'large.ipynb', pathChanged: signal() },
    content: { modelChanged: signal(), activeCell: null }
  } as unknown as NotebookPanel;
}

const tracker = (...panels: NotebookPanel[]) => ({
  currentWidget: panels[0] ?? null,
  forEach: (each: (panel: NotebookPanel) => void) => panels.forEach(each)
});

const labels = (items: { label: string }[]) => items.map(({ label }) => label);

describe('CellIndex', () => {
  it('finds cells by number, first line and heading, and follows changes', async () => {
    const panel = await openNotebook('a.ipynb', [
      '# Rainfall',
      '\n\nload()\nmore()',
      '',
      'print(1)'
    ]);
    const index = new CellIndex(panel);
    const find = (query: string) =>
      bestMatches(index.entries, query, 9).map(({ number }) => number);
    expect(find('')).toEqual([1, 2, 4]);
    expect(find('4')[0]).toBe(4);
    expect(find('load')).toEqual([2]);
    expect(find('rainfall')).toEqual([1, 2, 4]);
    const before = index.entries;
    expect(index.entries).toBe(before);
    panel.model!.sharedModel.cells[2].setSource('fresh()');
    expect(find('fresh')).toEqual([3]);
    panel.model!.sharedModel.deleteCell(0);
    expect(find('fresh')).toEqual([2]);
    panel.dispose();
  });

  it.each([
    ['', '', ''],
    ['  \n\n', '', ''],
    ['# Title\ntext', '# Title', 'Title'],
    ['\n  x = 1\ny', 'x = 1', ''],
    ['😀'.repeat(200), '😀'.repeat(120), '']
  ])('takes the first line of %j', (source, line, heading) => {
    expect(headOf(source, 'markdown')).toEqual({ line, heading });
  });
});

describe('the providers of cells and outputs', () => {
  it('read each source once, a few at a time, and no outputs, however large they are', async () => {
    const count = 1200;
    const panel = large(count);
    let sources = 0;
    let most = 0;
    let turn = 0;
    let outputs = 0;
    for (const cell of panel.model!.cells) {
      const { sharedModel } = cell;
      const read = sharedModel.getSource.bind(sharedModel);
      jest.spyOn(sharedModel, 'getSource').mockImplementation(() => {
        sources++;
        most = Math.max(most, ++turn);
        setTimeout(() => (turn = 0));
        return read();
      });
      const code = cell as ICodeCellModel;
      for (const name of ['get', 'toJSON'] as const) {
        jest.spyOn(code.outputs, name).mockImplementation(() => {
          outputs++;
          throw new Error('An output was read.');
        });
      }
    }
    const cells = new OpenCells(tracker(panel));
    const providers = [cellProvider(cells), outputProvider(cells)];
    const find = (query: string) =>
      Promise.all(providers.map(one => one.find(query, 6, signal, CHAT)));
    const [found, shown] = await find('print(1199)');
    expect(labels([...found, ...shown])).toEqual([
      'large.ipynb · cell 1200',
      'large.ipynb · output of cell 1200'
    ]);
    expect(sources).toBe(count);
    expect(most).toBeLessThanOrEqual(1000);
    for (const query of ['', 'p', 'print(7']) {
      await find(query);
    }
    expect(sources).toBe(count);
    expect(outputs).toBe(0);
    panel.model!.dispose();
  });

  it('offer what is read so far, and say when there is more', async () => {
    const panels = [large(300), large(1200)];
    const cells = new OpenCells(tracker(...panels));
    const provider = cellProvider(cells);
    const more = new Promise(resolve =>
      provider.changed!.connect(() => resolve(null))
    );
    const find = async (query: string, aborted = signal, from = provider) =>
      labels(await from.find(query, 9, aborted, CHAT));
    // A search that is over reads no more.
    expect(await find('print(1100)', AbortSignal.abort())).toEqual([]);
    expect(cells.isRead).toBe(false);
    expect(await find('print(2)')).toContain('large.ipynb · cell 3');
    expect(cells.isRead).toBe(false);
    await more;
    expect(cells.isRead).toBe(true);
    // What is only in the other notebook is waited for.
    const fresh = cellProvider(new OpenCells(tracker(...panels)));
    expect(await find('print(1100)', signal, fresh)).toEqual([
      'large.ipynb · cell 1101'
    ]);
    panels.forEach(({ model }) => model!.dispose());
  });

  it('stop reading when the search is over', async () => {
    const panel = large(1200);
    const aborter = new AbortController();
    const index = new CellIndex(panel);
    const reading = readAll([index], aborter.signal);
    setTimeout(() => aborter.abort());
    await reading;
    expect(index.isRead).toBe(false);
    expect(index.read(Infinity)).toBe(700);
    expect(index.isRead).toBe(true);
    panel.model!.dispose();
  });

  it('name the folder of notebooks with the same name', async () => {
    const names = ['d/a.ipynb', 'a.ipynb', 'd/b.ipynb'];
    const panels = await Promise.all(
      names.map(name => openNotebook(name, ['print(1)']))
    );
    const cells = new OpenCells(tracker(...panels));
    const found = await cellProvider(cells).find('', 9, signal, CHAT);
    expect(labels(found)).toEqual([
      'd/a.ipynb · cell 1',
      'a.ipynb · cell 1',
      'b.ipynb · cell 1'
    ]);
    const frozen = await Promise.all(found.map(one => one.freeze()));
    expect(frozen.map(([{ name }]) => name)).toEqual([
      'd/a.ipynb · cell 1',
      './a.ipynb · cell 1',
      'b.ipynb · cell 1'
    ]);
    expect(frozen[0][0].data).toMatch(/^Cell: d\/a\.ipynb · cell 1\n/);
    panels.forEach(panel => panel.dispose());
  });

  it('offer the active cell first, and freeze what is there at that moment', async () => {
    const panel = await openNotebook('a.ipynb', ['one()', 'two()', 'print(3)']);
    const other = await openNotebook('b.ipynb', ['four()']);
    panel.content.activeCellIndex = 1;
    const cells = new OpenCells(tracker(panel, other));
    const found = await cellProvider(cells).find('', 9, signal, CHAT);
    expect(labels(found)).toEqual([
      'a.ipynb · cell 2',
      'a.ipynb · cell 1',
      'a.ipynb · cell 3',
      'b.ipynb · cell 1'
    ]);
    panel.model!.sharedModel.cells[1].setSource('two(2)');
    const [frozen] = await found[0].freeze();
    expect(frozen.data).toBe(
      'Cell: a.ipynb · cell 2\n\n```python\ntwo(2)\n```'
    );
    const outputs = await outputProvider(cells).find('', 9, signal, CHAT);
    expect(labels(outputs)).toEqual(['a.ipynb · output of cell 3']);
    expect((await outputs[0].freeze())[0].data).toMatch(/\nout\n```$/);
    panel.dispose();
    await expect(found[0].freeze()).rejects.toThrow('not open any more');
    other.dispose();
  });
});
