import { YNotebook } from '@jupyter/ydoc';
import { NotebookModel } from '@jupyterlab/notebook';
import type { PartialJSONObject } from '@lumino/coreutils';

import { chooseReply } from '../../document/choice';
import { emptyChat, pairCell } from '../../document/chatfile';
import { ensurePair } from '../../document/landing';
import { Pair } from '../../document/pair';
import { replyOutput } from '../../document/reply';
import { beginSiblings } from '../../document/siblings';
import { evaluate } from '../../filter/evaluate';
import { query } from '../../filter/__tests__/pairs';
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

  it('lets a filter find a pair by the models of all its replies', () => {
    const { sharedModel } = new NotebookModel();
    const notebook = sharedModel as YNotebook;
    notebook.deleteCellRange(0, notebook.cells.length);
    const runs = ['b/chosen', 'b/two', 'c/three'].map((model, sibling) => ({
      ...INFO,
      model,
      runId: `r${sibling}`,
      attempt: sibling + 1,
      group: 'g',
      sibling
    }));
    const cells = ['several', 'single'].map(id =>
      pairCell(id, 'Why?', runs[0])
    );
    for (const cell of cells) {
      notebook.addCell(cell);
    }
    const several = Pair.find(notebook, 'several')!;
    beginSiblings(notebook, several, runs.slice(1));
    // An earlier version is none of them.
    const [version] = several.storedVersions as PartialJSONObject[];
    const { group: _, sibling: __, ...past } = version;
    several.setVersions([
      ...several.storedVersions,
      { ...past, model: 'd/past', runId: 'past', reply: 'Past' }
    ]);
    const records = notebook.cells.map(
      cell =>
        new CellRecord(cell, {
          changed: () => undefined,
          isNew: () => false,
          tokens: () => 0
        })
    );
    expect(records[0].otherModels).toEqual(['b/two', 'c/three']);
    const found = (text: string) => {
      const visible = evaluate(query(text), records, 0);
      return records.filter((_, at) => visible[at]).map(({ id }) => id);
    };
    expect(found('has:siblings')).toEqual(['several']);
    expect(found('model:c/*')).toEqual(['several']);
    expect(found('model:two')).toEqual(['several']);
    expect(found('model:past')).toEqual([]);
    expect(found('model:chosen')).toEqual(['several', 'single']);
    // Another one is chosen: the models stay the same.
    chooseReply(notebook, several, 2);
    expect(records[0]).toMatchObject({
      model: 'c/three',
      otherModels: ['b/chosen', 'b/two']
    });
    expect(found('model:chosen')).toEqual(['several', 'single']);
  });
});
