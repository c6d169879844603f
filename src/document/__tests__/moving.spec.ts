import { YNotebook } from '@jupyter/ydoc';
import type { INotebookContent } from '@jupyterlab/nbformat';

import { keepsLocked, moveCells, orderAfter, undoKeeping } from '../moving';

const made: YNotebook[] = [];

afterEach(() => made.splice(0).forEach(notebook => notebook.dispose()));

function notebookOf(count: number, metadata = {}): YNotebook {
  const notebook = new YNotebook();
  notebook.fromJSON({
    cells: Array.from({ length: count }, (_, n) => ({
      cell_type: 'code',
      id: `p${n}`,
      source: `Question ${n}`,
      metadata: { turnbook: { star: n }, turnbook_run: { runId: `r${n}` } },
      outputs: [
        {
          output_type: 'display_data',
          data: { 'text/markdown': `R${n}` },
          metadata: {}
        }
      ],
      execution_count: null
    })),
    metadata,
    nbformat: 4,
    nbformat_minor: 5
  } as unknown as INotebookContent);
  notebook.clearUndoHistory();
  made.push(notebook);
  return notebook;
}

const order = (notebook: YNotebook) =>
  notebook.cells.map(cell => cell.getId()).join(' ');

describe('moving cells', () => {
  it('gives the order that is asked for', () => {
    expect(orderAfter(['a', 'b', 'c', 'd'], ['b', 'd'], 'a').join('')).toBe(
      'bdac'
    );
    expect(orderAfter(['a', 'b', 'c'], ['a'], null).join('')).toBe('bca');
  });

  it('keeps all of each cell, and is one step of undo', () => {
    const notebook = notebookOf(5);
    const before = notebook.cells.map(cell => cell.toJSON());
    moveCells(notebook, ['p1', 'p3'], 'p0');
    expect(order(notebook)).toBe('p1 p3 p0 p2 p4');
    expect(notebook.cells[1].toJSON()).toEqual(before[3]);
    undoKeeping(notebook, () => notebook.undo());
    expect(order(notebook)).toBe('p0 p1 p2 p3 p4');
    expect(notebook.cells.map(cell => cell.toJSON())).toEqual(before);
    undoKeeping(notebook, () => notebook.redo());
    expect(order(notebook)).toBe('p1 p3 p0 p2 p4');
    moveCells(notebook, ['p1'], null);
    expect(order(notebook)).toBe('p3 p0 p2 p4 p1');
  });

  it('does not lose what a pair got since, when it is undone', () => {
    const notebook = notebookOf(3);
    moveCells(notebook, ['p2'], 'p0');
    const [cell] = notebook.cells;
    notebook.transact(() => {
      cell.setSource('Edited and sent again');
      cell.setMetadata('turnbook_run', { runId: 'later' });
    }, false);
    const after = cell.toJSON();
    undoKeeping(notebook, () => notebook.undo());
    expect(order(notebook)).toBe('p0 p1 p2');
    expect(notebook.cells[2].toJSON()).toEqual(after);
    undoKeeping(notebook, () => notebook.redo());
    expect(order(notebook)).toBe('p2 p0 p1');
    expect(notebook.cells[0].toJSON()).toEqual(after);
  });

  it('never changes the place of a locked cell', () => {
    const notebook = notebookOf(4, {
      turnbook: {
        format: 1,
        chatId: '00000000-0000-4000-8000-000000000000',
        lineage: { replay_parent_session_id: 'y', locked: true }
      }
    });
    for (const cell of notebook.cells.slice(0, 2)) {
      cell.setMetadata('turnbook_replay', {});
    }
    expect(keepsLocked(notebook, ['p3'], 'p2')).toBe(true);
    expect(keepsLocked(notebook, ['p3'], 'p1')).toBe(false);
    expect(keepsLocked(notebook, ['p1'], 'p0')).toBe(false);
    expect(keepsLocked(notebook, ['p0'], null)).toBe(false);
  });
});
