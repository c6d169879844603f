import { YNotebook } from '@jupyter/ydoc';
import type { IOutput } from '@jupyterlab/nbformat';

import type { IRun } from '../../base/run';
import { emptyChat, pairCell } from '../chatfile';
import { ensurePair } from '../landing';
import type { IRunInfo } from '../metadata';
import { Pair } from '../pair';

/** The run of a pair with a whole reply. */
export const INFO: IRunInfo = {
  state: 'succeeded',
  model: 'p/m',
  createdAt: 10,
  updatedAt: 20,
  runId: '00000000-0000-4000-8000-000000000001',
  attempt: 1,
  context: [],
  requestHash: '1'.repeat(64)
};

/** A chat with one pair, whose undo history begins here. */
export function answeredPair(
  outputs: IOutput[],
  info: IRunInfo = INFO
): { notebook: YNotebook; pair: Pair } {
  const notebook = YNotebook.create({
    disableDocumentWideUndoRedo: true,
    data: emptyChat()
  });
  const cell = ensurePair(notebook, pairCell('a', '2 + 2?', info), null);
  cell.setOutputs(outputs);
  notebook.clearUndoHistory();
  return { notebook, pair: new Pair(cell) };
}

/** That run as the journal has it. */
export const journaledRun = (change: Partial<IRun> = {}): IRun =>
  ({
    id: INFO.runId,
    chat: 'c',
    pair: 'a',
    attempt: 1,
    provider: 'p',
    model: 'm',
    state: 'done',
    hash: INFO.requestHash,
    createdAt: 10,
    updatedAt: 20,
    end: null,
    continues: null,
    dropped: false,
    cell: pairCell('a', '2 + 2?', INFO),
    after: null,
    ...change
  }) as IRun;
