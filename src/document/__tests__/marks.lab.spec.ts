import { YNotebook, type ISharedCell } from '@jupyter/ydoc';

import { cycleStar, marksOf, setMarks, setTopic, toggleIn } from '../marks';
import { KEYS } from '../metadata';

function chat(disableDocumentWideUndoRedo = true): YNotebook {
  const cells = ['a', 'b', 'c'].map(id => ({
    cell_type: 'code',
    id,
    metadata: {},
    source: id
  }));
  const notebook = YNotebook.create({
    disableDocumentWideUndoRedo,
    data: {
      cells: [
        ...cells,
        { cell_type: 'markdown', id: 'n', metadata: {}, source: 'note' }
      ],
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5
    }
  });
  // As after opening a file.
  notebook.clearUndoHistory();
  return notebook;
}

const entry = (cell: ISharedCell): unknown => cell.getMetadata(KEYS.marks);

describe('marks of one pair', () => {
  it('cycles through the stars and stores nothing for none', () => {
    const notebook = chat();
    const [a] = notebook.cells;
    const stars = [1, 2, 3, 0].map(() => {
      cycleStar(notebook, [a]);
      return marksOf(a).star;
    });
    expect(stars).toEqual([1, 2, 3, 0]);
    expect(entry(a)).toBeUndefined();
  });

  it('toggles in and out; in is the default and not stored', () => {
    const notebook = chat();
    const [a] = notebook.cells;
    expect(marksOf(a).in).toBe(true);
    toggleIn(notebook, [a]);
    expect(entry(a)).toEqual({ in: false });
    toggleIn(notebook, [a]);
    expect(entry(a)).toBeUndefined();
  });

  it('sets a normalised topic, and an empty one removes it', () => {
    const notebook = chat();
    const [a] = notebook.cells;
    setTopic(notebook, [a], ' ml //  natural   language/* ');
    expect(entry(a)).toEqual({ topic: 'ml/natural language' });
    setTopic(notebook, [a], ' / ');
    expect(entry(a)).toBeUndefined();
  });

  it('does not change other marks and foreign entries', () => {
    const notebook = chat();
    const [a] = notebook.cells;
    a.setMetadata(KEYS.marks, { topic: 'x', later: [1], star: 9 });
    toggleIn(notebook, [a]);
    expect(entry(a)).toEqual({ topic: 'x', later: [1], star: 9, in: false });
  });
});

describe('marks of a selection', () => {
  it('gives all pairs the same mark and skips notes', () => {
    const notebook = chat();
    const [a, b, c, note] = notebook.cells;
    setMarks(notebook, [b], { star: 3, in: false });
    cycleStar(notebook, [a, b, note]);
    expect([a, b, c].map(cell => marksOf(cell).star)).toEqual([1, 1, 0]);
    toggleIn(notebook, [a, b, note]);
    expect([a, b, c].map(cell => marksOf(cell).in)).toEqual([
      false,
      false,
      true
    ]);
    toggleIn(notebook, [a, b, note]);
    expect([a, b, c].map(cell => marksOf(cell).in)).toEqual([true, true, true]);
    expect(entry(note)).toBeUndefined();
  });

  it.each([true, false])(
    'is one change and one undo step (undo per cell: %s)',
    perCell => {
      const notebook = chat(perCell);
      let updates = 0;
      notebook.ydoc.on('afterTransaction', transaction => {
        updates += transaction.changed.size > 0 && transaction.origin ? 1 : 0;
      });
      setTopic(notebook, notebook.cells, 'ml');
      expect(updates).toBe(1);
      const topics = () => notebook.cells.map(cell => marksOf(cell).topic);
      expect(topics()).toEqual(['ml', 'ml', 'ml', '']);
      notebook.undo();
      expect(topics()).toEqual(['', '', '', '']);
      notebook.redo();
      expect(topics()).toEqual(['ml', 'ml', 'ml', '']);
    }
  );

  it('is not an undo step when nothing changes', () => {
    const notebook = chat();
    setMarks(notebook, notebook.cells, { star: 0, in: true, topic: '' });
    cycleStar(notebook, []);
    toggleIn(notebook, []);
    expect(notebook.canUndo()).toBe(false);
  });
});
