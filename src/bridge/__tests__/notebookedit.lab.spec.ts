import { YNotebook, type YMarkdownCell } from '@jupyter/ydoc';
import type { CodeCell } from '@jupyterlab/cells';
import { NotebookModel, type NotebookPanel } from '@jupyterlab/notebook';
import { NBTestUtils } from '@jupyterlab/notebook/lib/testutils';
import { nullTranslator } from '@jupyterlab/translation';

import { insertBelow, replaceActive, replaceObstacle } from '../notebookedit';

const trans = nullTranslator.load('');
const CELL = { cell_type: 'code' as const, source: 'new', metadata: { k: 1 } };

const ATTACHMENTS = { 'a.png': { 'image/png': 'AA==' } };

const TYPES: ['code' | 'markdown' | 'raw', 'code' | 'markdown'][] = [
  ['code', 'markdown'],
  ['markdown', 'code'],
  ['raw', 'code'],
  ['raw', 'markdown']
];

/** A notebook with these cells; the second is active. */
function open(
  disableDocumentWideUndoRedo: boolean,
  types: string[] = ['code', 'code']
) {
  const sharedModel = YNotebook.create({ disableDocumentWideUndoRedo });
  const model = new NotebookModel({ sharedModel });
  model.fromJSON({
    cells: types.map((cell_type, n) => ({
      cell_type,
      id: `c${n}`,
      source: `old ${n}`,
      metadata: {},
      ...(cell_type === 'code' ? { outputs: [], execution_count: null } : {})
    })),
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5
  } as any);
  const content = NBTestUtils.createNotebook();
  content.model = model;
  content.activeCellIndex = 1;
  sharedModel.clearUndoHistory();
  const panel = { content, isVisible: false } as unknown as NotebookPanel;
  const sources = () => sharedModel.cells.map(cell => cell.getSource());
  return { panel, content, sharedModel, sources };
}

describe.each([
  ['one undo for the document', false],
  ['one undo for each cell', true]
])('a notebook with %s', (_, cellWise) => {
  it('gets a cell below the active one, in one step', () => {
    const { panel, content, sharedModel, sources } = open(cellWise);
    expect(insertBelow(panel, CELL).index).toBe(2);
    expect(sources()).toEqual(['old 0', 'old 1', 'new']);
    expect(content.activeCellIndex).toBe(2);
    expect(sharedModel.cells[2].getMetadata()).toEqual({ k: 1 });
    sharedModel.undo();
    expect(sources()).toEqual(['old 0', 'old 1']);
    expect(sharedModel.canUndo()).toBe(false);
  });

  it('gets another text in the active cell, in one step', () => {
    const { panel, sharedModel, sources } = open(cellWise);
    replaceActive(panel, CELL);
    expect(sources()).toEqual(['old 0', 'new']);
    expect(sharedModel.cells[1].getId()).toBe('c1');
    sharedModel.undo();
    expect(sources()).toEqual(['old 0', 'old 1']);
    expect(sharedModel.cells[1].getMetadata()).toEqual({});
    expect(sharedModel.canUndo()).toBe(false);
  });

  it('gets another cell in place of one of another type', () => {
    const { panel, sharedModel, sources } = open(cellWise, [
      'code',
      'markdown'
    ]);
    replaceActive(panel, CELL);
    expect(sharedModel.cells.map(cell => cell.cell_type)).toEqual([
      'code',
      'code'
    ]);
    sharedModel.undo();
    expect(sources()).toEqual(['old 0', 'old 1']);
    expect(sharedModel.cells[1].cell_type).toBe('markdown');
  });

  it.each(TYPES)(
    'keeps what else a %s cell has that becomes %s',
    (before, cell_type) => {
      const { panel, sharedModel, sources } = open(cellWise, ['code', before]);
      const old = sharedModel.cells[1];
      const metadata = {
        tags: ['parameters'],
        deletable: false,
        nbgrader: { grade_id: 'a' },
        slideshow: { slide_type: 'slide' }
      };
      old.setMetadata({ ...metadata, k: 0, trusted: true });
      if (old.cell_type !== 'code') {
        (old as YMarkdownCell).setAttachments(ATTACHMENTS);
      }
      sharedModel.clearUndoHistory();
      const asBefore = old.toJSON();

      replaceActive(panel, { ...CELL, cell_type });
      const made = sharedModel.cells[1].toJSON();
      expect(made).toMatchObject({ cell_type, id: 'c1', source: 'new' });
      expect(made.metadata).toEqual({ ...metadata, k: 1 });
      expect(made.attachments).toEqual(
        before === 'raw' && cell_type === 'markdown' ? ATTACHMENTS : undefined
      );
      sharedModel.undo();
      expect(sources()).toEqual(['old 0', 'old 1']);
      expect(sharedModel.cells[1].toJSON()).toEqual(asBefore);
    }
  );

  it('is undone from outside only while nothing else was done', () => {
    const { panel, sharedModel, sources } = open(cellWise);
    const first = insertBelow(panel, CELL);
    const second = insertBelow(panel, CELL);
    expect(first.undo()).toBe(false);
    expect(second.undo()).toBe(true);
    expect(first.undo()).toBe(true);
    expect(first.undo()).toBe(false);
    expect(sources()).toEqual(['old 0', 'old 1']);
    sharedModel.redo();
    expect(sources()).toEqual(['old 0', 'old 1', 'new']);
  });
});

describe('a cell is not replaced', () => {
  it('that cannot be edited', () => {
    const { panel, sharedModel } = open(false);
    expect(replaceObstacle(panel, CELL, trans)).toBeNull();
    sharedModel.cells[1].setMetadata('editable', false);
    expect(replaceObstacle(panel, CELL, trans)).toContain('cannot be edited');
  });

  it('by one of another type while the kernel waits for its input', () => {
    const { panel, content } = open(false);
    const { outputArea } = content.activeCell as CodeCell;
    const future = { dispose: () => {}, done: Promise.resolve() } as any;
    outputArea.future = future;
    future.onStdin({
      header: { msg_type: 'input_request' },
      content: { prompt: 'Name?', password: false }
    });
    expect(outputArea.pendingInput).toBe(true);
    const prose = { ...CELL, cell_type: 'markdown' as const };
    expect(replaceObstacle(panel, prose, trans)).toContain('waits for input');
    expect(replaceObstacle(panel, CELL, trans)).toBeNull();
  });
});
