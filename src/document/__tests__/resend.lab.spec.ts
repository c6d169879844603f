import { YNotebook, type ISharedCodeCell } from '@jupyter/ydoc';

import { emptyChat, pairCell } from '../chatfile';
import { ensurePair, findPair } from '../landing';
import { KEYS, readRunInfo, type IRunInfo } from '../metadata';
import { readReply, replyOutput } from '../reply';
import { beginResend, cellBefore, removeUnsent } from '../resend';
import { versionsOf } from '../versions';

const INFO: IRunInfo = {
  state: 'succeeded',
  model: 'p/m',
  createdAt: 10,
  updatedAt: 20,
  runId: 'r1',
  attempt: 1,
  context: [],
  requestHash: 'a'.repeat(64)
};

const SECOND: IRunInfo = {
  ...INFO,
  state: 'sending',
  runId: 'r2',
  attempt: 2,
  requestHash: 'b'.repeat(64)
};

function chat(): { notebook: YNotebook; cell: ISharedCodeCell } {
  const notebook = YNotebook.create({
    disableDocumentWideUndoRedo: true,
    data: emptyChat()
  });
  ensurePair(notebook, pairCell('first', 'Before', INFO), null);
  ensurePair(notebook, pairCell('a', 'Question?', INFO), 'first');
  const cell = findPair(notebook, 'a')!;
  cell.setOutputs([
    replyOutput({ text: 'Answer.', runId: 'r1', partial: false })
  ]);
  return { notebook, cell };
}

const state = (cell: ISharedCodeCell) => ({
  source: cell.getSource(),
  reply: readReply(cell.getOutputs()),
  run: readRunInfo(cell.getMetadata(KEYS.run)),
  versions: versionsOf(cell).length
});

describe('beginResend', () => {
  it('shows the new text on its way and keeps what was', () => {
    const { notebook, cell } = chat();
    beginResend(notebook, cell, 'Better question?', SECOND);
    expect(state(cell)).toMatchObject({
      source: 'Better question?',
      reply: null,
      run: { state: 'sending', runId: 'r2', attempt: 2 },
      versions: 1
    });
    expect(versionsOf(cell)[0]).toMatchObject({
      source: 'Question?',
      reply: 'Answer.',
      runId: 'r1'
    });
  });

  it('can be taken back as if it had not been', () => {
    const { notebook, cell } = chat();
    const before = state(cell);
    beginResend(notebook, cell, 'Refused', SECOND)();
    const after = state(cell);
    expect(after).toMatchObject({
      source: before.source,
      reply: before.reply,
      versions: 0
    });
    expect(after.run).toMatchObject({ state: 'succeeded', runId: 'r1' });
  });

  it('leaves outputs of others and is no step of undo', () => {
    const { notebook, cell } = chat();
    const foreign = {
      output_type: 'display_data',
      data: { 'image/png': 'x' },
      metadata: {}
    };
    cell.updateOutputs(0, 0, [foreign]);
    beginResend(notebook, cell, 'New', SECOND);
    expect(cell.getOutputs()).toMatchObject([foreign]);
    notebook.undo();
    cell.undo();
    expect(cell.getSource()).toBe('New');
  });
});

describe('removeUnsent', () => {
  it('takes away the pair of that run only', () => {
    const { notebook } = chat();
    removeUnsent(notebook, 'a', 'another run');
    expect(findPair(notebook, 'a')).not.toBeNull();
    removeUnsent(notebook, 'a', 'r1');
    expect(findPair(notebook, 'a')).toBeNull();
  });
});

it('cellBefore names the cell above', () => {
  const { notebook } = chat();
  expect(cellBefore(notebook, 'a')).toBe('first');
  expect(cellBefore(notebook, 'first')).toBeNull();
  expect(cellBefore(notebook, 'gone')).toBeNull();
});
