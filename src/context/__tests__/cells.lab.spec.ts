import { YNotebook } from '@jupyter/ydoc';
import type { ICell } from '@jupyterlab/nbformat';
import fc from 'fast-check';
import { applyUpdate, encodeStateAsUpdate } from 'yjs';

import type { IBudgetLimits } from '../budget';
import { charsEstimator } from '../tokens';
import { ContextModel } from '../contextmodel';
import { SENDING_RULES } from '../gather';
import { cellsOf } from '../../document/cells';
import { messageLists } from '../../document/__tests__/messagelists';

const LIMITS: IBudgetLimits = { window: 1e9, softCap: 1e9, reserve: 0 };

/** What a chat would send before the new message, in the page that wrote it and in another. */
function gathered(cells: ICell[]): string[] {
  const notebook = YNotebook.create() as YNotebook;
  notebook.insertCells(0, cells as Parameters<YNotebook['insertCells']>[1]);
  const copy = YNotebook.create() as YNotebook;
  applyUpdate(copy.ydoc, encodeStateAsUpdate(notebook.ydoc));
  const source = {
    limits: LIMITS,
    estimator: charsEstimator(),
    rules: SENDING_RULES
  };
  return [notebook, copy].map(shared => {
    const model = new ContextModel({
      notebook: shared,
      source: () => source,
      isNew: () => false
    });
    const { messages } = model.gather('new');
    model.dispose();
    shared.dispose();
    return JSON.stringify(messages.slice(0, -1));
  });
}

describe('messages in a shared notebook', () => {
  // JupyterLab's own code reads a text of a cell before it is in a document.
  beforeEach(() => jest.spyOn(console, 'warn').mockImplementation());
  afterEach(() => jest.restoreAllMocks());

  it('are gathered back to the same bytes, whatever they are', () => {
    fc.assert(
      fc.property(messageLists, messages => {
        const bytes = JSON.stringify(messages);
        expect(gathered(cellsOf(messages))).toEqual([bytes, bytes]);
      }),
      { numRuns: 200 }
    );
  });
});
