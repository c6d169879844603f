import { YNotebook } from '@jupyter/ydoc';

import { emptyChat, pairCell } from '../../document/chatfile';
import { ensurePair } from '../../document/landing';
import { Pair } from '../../document/pair';
import { replyOutput } from '../../document/reply';
import { CellRecord } from '../cellrecord';

const INFO = {
  state: 'succeeded' as const,
  model: 'p/m',
  createdAt: 1,
  updatedAt: 2,
  runId: 'r',
  attempt: 1,
  context: [],
  requestHash: 'h'
};

function chat(): YNotebook {
  return YNotebook.create({ data: emptyChat() });
}

function record(notebook: YNotebook, changed = () => {}): CellRecord {
  return new CellRecord(notebook.cells[0], {
    changed,
    isNew: id => id === 'a',
    tokens: () => 7
  });
}

describe('CellRecord', () => {
  it('provides what a filter needs of a pair', () => {
    const notebook = chat();
    ensurePair(notebook, pairCell('a', 'Why?', INFO, { topic: 'x' }), null);
    const pair = Pair.find(notebook, 'a')!;
    const text = 'So:\n```\n1\n```';
    pair.changeParts([], [replyOutput({ text, runId: 'r', partial: false })]);
    expect(record(notebook)).toMatchObject({
      id: 'a',
      kind: 'pair',
      topic: 'x',
      model: 'p/m',
      star: 0,
      in: true,
      state: 'succeeded',
      edited: false,
      isNew: true,
      user: 'Why?',
      reply: text,
      hasTool: false,
      hasCode: true,
      hasImage: false,
      openCalls: 0,
      versions: 0,
      createdAt: 1,
      tokens: 7,
      isSpare: false
    });
  });

  it('reads a cell again only when it changed', () => {
    const notebook = chat();
    const changed = jest.fn();
    const one = record(notebook, changed);
    const { cell } = one;
    expect(one.isSpare).toBe(true);
    expect(one.cell).toBe(cell);
    notebook.cells[0].setSource('Why?');
    expect(changed).toHaveBeenCalled();
    expect(one.cell).not.toBe(cell);
    expect(one.isSpare).toBe(false);
    changed.mockClear();
    one.dispose();
    notebook.cells[0].setSource('How?');
    expect(changed).not.toHaveBeenCalled();
  });
});
