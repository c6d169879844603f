import { YNotebook, type YCodeCell } from '@jupyter/ydoc';
import fc from 'fast-check';

import { keepCellJSON } from '../celljson';

const code = (source: string) => ({
  cell_type: 'code',
  source,
  metadata: { turnbook: { star: 1 } },
  outputs: [
    {
      output_type: 'display_data',
      data: { 'text/markdown': source },
      metadata: {}
    }
  ]
});

/** What JupyterLab itself would write. */
const plain = (notebook: YNotebook) =>
  YNotebook.prototype.toJSON.call(notebook);

function notebookOf(count: number): YNotebook {
  const notebook = new YNotebook();
  notebook.insertCells(
    0,
    Array.from({ length: count }, (_, n) => code(`cell ${n}`))
  );
  return notebook;
}

type Change = (notebook: YNotebook, place: number) => void;

const CHANGES: Record<string, Change> = {
  source: (notebook, place) => notebook.getCell(place).setSource('new'),
  append: (notebook, place) =>
    notebook.getCell(place).updateSource(0, 0, 'more '),
  metadata: (notebook, place) =>
    notebook.getCell(place).setMetadata('turnbook_run', { state: 'error' }),
  dropped: (notebook, place) =>
    notebook.getCell(place).deleteMetadata('turnbook'),
  outputs: (notebook, place) =>
    (notebook.getCell(place) as YCodeCell).setOutputs(code('out').outputs),
  output: (notebook, place) => {
    // Within an output, as a landing reply does.
    const cell = notebook.getCell(place) as YCodeCell;
    const output = (cell as any)._youtputs.get(0);
    notebook.transact(() => output?.set('data', { 'text/plain': 'other' }));
  },
  count: (notebook, place) => {
    (notebook.getCell(place) as YCodeCell).execution_count = place;
  },
  insert: (notebook, place) => notebook.insertCell(place, code('inserted')),
  remove: (notebook, place) => notebook.deleteCell(place),
  move: (notebook, place) => notebook.moveCell(place, 0),
  undo: notebook => notebook.undo(),
  title: notebook => notebook.setMetadata('title', 'a chat'),
  format: notebook => {
    notebook.nbformat_minor = 4;
  }
};

describe('keepCellJSON', () => {
  it('writes what JupyterLab would, after any changes', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.constantFrom(...Object.keys(CHANGES)),
            fc.nat({ max: 4 }),
            fc.boolean()
          ),
          { maxLength: 12 }
        ),
        steps => {
          const notebook = notebookOf(6);
          const keeping = keepCellJSON(notebook);
          notebook.toJSON();
          for (const [name, place, isSaved] of steps) {
            if (place < notebook.cells.length) {
              CHANGES[name](notebook, place);
            }
            if (isSaved) {
              expect(notebook.toJSON()).toEqual(plain(notebook));
            }
          }
          expect(notebook.toJSON()).toEqual(plain(notebook));
          keeping.dispose();
          notebook.dispose();
        }
      )
    );
  });

  it('has changes in a transaction, and for whoever is told of them first', () => {
    const notebook = notebookOf(2);
    const sources = () => notebook.toJSON().cells.map(({ source }) => source);
    const told: unknown[] = [];
    // Connected before, so called before.
    notebook.getCell(1).changed.connect(() => told.push(sources()[1]));
    keepCellJSON(notebook);
    notebook.toJSON();
    notebook.transact(() => {
      notebook.getCell(1).setSource('within');
      expect(sources()[1]).toBe('within');
    });
    expect(told).toEqual(['within']);
    notebook.dispose();
  });

  it('makes the JSON of changed cells only', () => {
    const notebook = notebookOf(20);
    keepCellJSON(notebook);
    notebook.toJSON();
    const read = notebook.cells.map(cell => jest.spyOn(cell, 'toJSON'));
    notebook.getCell(7).setSource('new');
    notebook.toJSON();
    const counts = read.map(({ mock }) => mock.calls.length);
    expect(counts.filter(Boolean)).toEqual([1]);
    expect(counts[7]).toBe(1);
    notebook.dispose();
  });

  it('is not changed by those who get it', () => {
    const notebook = notebookOf(1);
    keepCellJSON(notebook);
    const first = notebook.toJSON().cells[0];
    delete (first as any).id;
    (first.metadata as any).deletable = true;
    expect(notebook.toJSON()).toEqual(plain(notebook));
    notebook.dispose();
  });
});
