import { YNotebook } from '@jupyter/ydoc';

import type { IRun } from '../../base/run';
import type { LiveRun } from '../../runs/live';
import { savedPair } from './sessionparts';
import { shownRun, textBefore, textReplaced } from '../shownreply';

/** A notebook with one pair whose reply is of this run. */
function notebookWith(reply: string, partial = false): YNotebook {
  const notebook = new YNotebook();
  const cell: any = savedPair('pair', 'hello', reply);
  if (partial) {
    cell.outputs[0].metadata.turnbook.partial = true;
  }
  notebook.insertCell(0, cell);
  return notebook;
}

const run = (facts: Partial<IRun>): IRun =>
  ({ id: 'next', pair: 'pair', continues: null, ...facts }) as IRun;

const live = (id: string, text: string) =>
  ({ run: { id }, text }) as unknown as LiveRun;

describe('what a page shows of a pair', () => {
  it('says which run the document has', () => {
    const notebook = notebookWith('hi');
    expect(shownRun(notebook, run({}))?.runId).toBe('run-pair');
    expect(shownRun(notebook, run({ pair: 'gone' }))).toBeNull();
  });

  it('is where a run goes on from that continues it', () => {
    const notebook = notebookWith('Once upon');
    const next = run({ continues: 'run-pair' });
    expect(textBefore(notebook, next, null)).toBe('Once upon');
    // What streams here is newer than the document.
    const present = live('run-pair', 'Once upon a time');
    expect(textBefore(notebook, next, present)).toBe('Once upon a time');
    expect(textBefore(notebook, next, live('other', 'x'))).toBe('Once upon');
  });

  it('is nothing for a run that continues none, or one that is not shown', () => {
    const notebook = notebookWith('Once upon');
    expect(textBefore(notebook, run({}), live('run-pair', 'x'))).toBe('');
    const other = run({ continues: 'another' });
    expect(textBefore(notebook, other, null)).toBe('');
    const gone = run({ continues: 'run-pair', pair: 'gone' });
    expect(textBefore(notebook, gone, null)).toBe('');
  });

  it('is what a run begins again if it was cut off', () => {
    const partial = notebookWith('Once upon', true);
    expect(textReplaced(partial, run({}))).toBe('Once upon');
    expect(textReplaced(partial, run({ continues: 'run-pair' }))).toBe('');
    expect(textReplaced(partial, run({ id: 'run-pair' }))).toBe('');
    expect(textReplaced(partial, run({ pair: 'gone' }))).toBe('');
    expect(textReplaced(notebookWith('Once upon'), run({}))).toBe('');
  });
});
