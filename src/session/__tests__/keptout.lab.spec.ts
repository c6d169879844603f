import { YNotebook } from '@jupyter/ydoc';
import { Signal } from '@lumino/signaling';

import type { IRun } from '../../base/run';
import { attachmentOutput, textAttachment } from '../../document/attachments';
import { toggleSent } from '../../document/eye';
import { Pair } from '../../document/pair';
import { KeptOut } from '../keptout';
import { savedPair } from './sessionparts';

/** What ends automatic retries, of a pair whose attachment can be kept out. */
function watching() {
  const notebook = new YNotebook({ disableDocumentWideUndoRedo: true });
  const cell = savedPair('p', 'Look', '', 'error');
  notebook.fromJSON({
    cells: [
      { ...cell, outputs: [attachmentOutput(textAttachment('a.txt', 'A'))] }
    ],
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5
  } as never);
  const run = { pair: 'p', id: 'run-p' } as IRun;
  const source = { allWaiting: [] as IRun[], inProgress: [run] };
  const runs = { ...source, changed: new Signal<unknown, void>({}) };
  const stopped: string[] = [];
  new KeptOut({
    actions: {
      stopAutoRetry: pair => {
        stopped.push(pair);
        return Promise.resolve(true);
      }
    },
    context: { changed: new Signal<unknown, void>({}) },
    notebook,
    notice: { say: () => undefined },
    runs: runs as never,
    sender: { busy: null, changed: new Signal<unknown, void>({}) as never }
  });
  const look = (inProgress: IRun[], allWaiting: IRun[]) => {
    Object.assign(runs, { inProgress, allWaiting });
    runs.changed.emit();
  };
  const toggle = () => toggleSent(notebook, Pair.find(notebook, 'p')!, 0);
  return { notebook, run, look, toggle, stopped };
}

describe('a part that is kept out', () => {
  it('ends the retries of a run of which it is not known yet that another attempt follows', () => {
    const { run, look, toggle, stopped } = watching();
    look([run], []);
    look([], []);
    toggle();
    look([], []);
    look([], [run]);
    expect(stopped).toEqual(['p']);
  });

  it('does not end those of a later request that was made without it', () => {
    const { notebook, run, look, toggle, stopped } = watching();
    look([run], []);
    look([], []);
    toggle();
    look([], []);
    const pair = Pair.find(notebook, 'p')!;
    pair.setRun({ ...pair.run!, runId: 'again' });
    look([{ ...run, id: 'again' }], []);
    expect(stopped).toEqual([]);
  });
});
