import { YNotebook, type ISharedCodeCell } from '@jupyter/ydoc';

import { emptyChat, pairCell } from '../chatfile';
import type { IRun } from '../../base/run';
import { ensurePair, findPair, land } from '../landing';
import { KEYS, readRunInfo, type IRunInfo } from '../metadata';
import { readReply, replyOutput } from '../reply';
import { beginResend, cellBefore, markUnsent, removeUnsent } from '../resend';
import { Pair } from '../pair';

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

/** A run that the server made of a pair that is there. */
const retried = (id: string, attempt: number): IRun =>
  ({
    id,
    attempt,
    pair: 'a',
    cell: { id: 'a' },
    after: null,
    provider: 'p',
    model: 'm',
    state: 'done',
    hash: INFO.requestHash,
    createdAt: 30,
    updatedAt: 40,
    events: 2,
    end: { type: null, finish: 'stop' },
    continues: null,
    replaces: null,
    dropped: false
  }) as unknown as IRun;

const state = (cell: ISharedCodeCell) => ({
  source: cell.getSource(),
  reply: readReply(cell.getOutputs()),
  run: readRunInfo(cell.getMetadata(KEYS.run)),
  versions: new Pair(cell).versions.length
});

describe('beginResend', () => {
  it('shows the new text as sending and keeps the previous state', () => {
    const { notebook, cell } = chat();
    beginResend(notebook, cell, 'Better question?', SECOND);
    expect(state(cell)).toMatchObject({
      source: 'Better question?',
      reply: null,
      run: { state: 'sending', runId: 'r2', attempt: 2 },
      versions: 1
    });
    expect(new Pair(cell).versions[0]).toMatchObject({
      source: 'Question?',
      reply: 'Answer.',
      runId: 'r1'
    });
  });

  it('can be undone completely', () => {
    const { notebook, cell } = chat();
    const before = state(cell);
    beginResend(notebook, cell, 'Refused', SECOND)();
    const after = state(cell);
    expect(after).toEqual(before);
  });

  it('hides no reply of a retry, however often it was refused before', () => {
    const { notebook, cell } = chat();
    const failed = {
      ...INFO,
      state: 'error',
      error: { type: 'server', code: 'server', status: 503, message: 'No.' },
      contextSnapshot: { runId: 'r1', hash: INFO.requestHash }
    } as const;
    cell.setOutputs([]);
    cell.setMetadata(KEYS.run, failed as never);
    // What another tool wrote among the versions stays, too.
    cell.setMetadata(KEYS.versions, ['foreign']);
    for (const runId of ['r2', 'r3']) {
      const info = readRunInfo(cell.getMetadata(KEYS.run))!;
      const again = { ...SECOND, runId, attempt: info.attempt + 1 };
      beginResend(notebook, cell, 'Refused', again)();
    }
    expect(cell.getMetadata(KEYS.run)).toEqual(failed);
    expect(cell.getMetadata(KEYS.versions)).toEqual(['foreign']);
    land(notebook, { run: retried('r4', 2), text: 'At last.' });
    expect(state(cell)).toMatchObject({
      reply: { text: 'At last.', runId: 'r4' },
      run: { state: 'succeeded', attempt: 2 },
      versions: 0
    });
  });

  it('keeps outputs of others and is not an undo step', () => {
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

describe('markUnsent', () => {
  it('hides no reply of a retry, however often nothing was sent', () => {
    const { notebook, cell } = chat();
    for (const runId of ['r2', 'r3']) {
      const info = readRunInfo(cell.getMetadata(KEYS.run))!;
      beginResend(notebook, cell, 'Lost', {
        ...SECOND,
        runId,
        attempt: info.attempt + 1
      });
      markUnsent(notebook, 'a', 'another run');
      expect(readRunInfo(cell.getMetadata(KEYS.run))?.state).toBe('sending');
      markUnsent(notebook, 'a', runId);
      expect(readRunInfo(cell.getMetadata(KEYS.run))).toMatchObject({
        state: 'error',
        error: { code: 'unsent' }
      });
    }
    land(notebook, { run: retried('r4', 2), text: 'At last.' });
    expect(state(cell)).toMatchObject({
      reply: { text: 'At last.' },
      run: { state: 'succeeded', attempt: 2 }
    });
  });
});

describe('removeUnsent', () => {
  it('removes only the pair of that run', () => {
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
