import { MessageLoop } from '@lumino/messaging';

import { loadCells, showCells, textCell } from '../../__tests__/shownchat';
import { Numbering } from '../numbering';

const pair = (n: number) => ({
  cell_type: 'code',
  id: `pair-${n}`,
  metadata: {},
  source: `Question ${n}`,
  outputs: [],
  execution_count: null
});

const CELLS = [textCell('markdown', 'A note'), pair(1), pair(2), pair(3)];

it('names cells by their kind, and messages by their place among the visible ones', () => {
  const notebook = showCells(CELLS);
  const names = () =>
    notebook.widgets.map(({ node }) => node.getAttribute('aria-label'));
  MessageLoop.flush();
  expect(names()).toEqual([
    'Note: A note',
    'Message 1 of 3: Question 1. No reply.',
    'Message 2 of 3: Question 2. No reply.',
    'Message 3 of 3: Question 3. No reply.'
  ]);
  expect(notebook.widgets.map(({ node }) => node.getAttribute('role'))).toEqual(
    Array(4).fill('article')
  );

  notebook.filter(Uint8Array.from([1, 0, 1, 1]));
  MessageLoop.flush();
  expect(names().slice(2)).toEqual([
    'Message 1 of 2: Question 2. No reply.',
    'Message 2 of 2: Question 3. No reply.'
  ]);

  notebook.filter(Uint8Array.from([1, 1, 1, 1]));
  notebook.model!.sharedModel.deleteCell(2);
  MessageLoop.flush();
  expect(names()[2]).toBe('Message 2 of 2: Question 3. No reply.');
  notebook.dispose();
});

it('counts only after a change, and asks nothing of cells that are not drawn', () => {
  const notebook = loadCells(CELLS);
  let asked = 0;
  const cells = notebook.widgets.map(cell => ({
    get model() {
      asked++;
      return cell.model;
    },
    get cellName(): never {
      throw new Error('It is not drawn.');
    }
  })) as never;
  const numbering = new Numbering();
  numbering.update(cells);
  expect(asked).toBe(CELLS.length);
  numbering.update(cells);
  expect(asked).toBe(CELLS.length);
  numbering.invalidate();
  numbering.update(cells);
  expect(asked).toBe(2 * CELLS.length);
  notebook.dispose();
});
