/** The cell of a run with all its outputs; the server's reports leave out large ones. */
import type { ISharedNotebook } from '@jupyter/ydoc';

import type { IRun } from '../base/run';
import { Pair } from '../document/pair';
import type { TurnbookAPI } from '../runs/api';

/** Whether a run's cell has to be fetched before its pair can be put into the document. */
export function lacksCell(notebook: ISharedNotebook, run: IRun): boolean {
  return run.cellCut === true && !Pair.find(notebook, run.pair);
}

/** A run with its whole cell. */
export async function withWholeCell(
  api: Pick<TurnbookAPI, 'getCell'>,
  run: IRun
): Promise<IRun> {
  return run.cellCut ? withCell(run, await api.getCell(run.id)) : run;
}

/** A run whose pair is in the document, with the outputs that are there. */
export function withShownCell(notebook: ISharedNotebook, run: IRun): IRun {
  const pair = run.cellCut ? Pair.find(notebook, run.pair) : null;
  return pair
    ? withCell(run, { ...run.cell, outputs: pair.toJSON().outputs })
    : run;
}

function withCell(run: IRun, cell: IRun['cell']): IRun {
  const { cellCut: _, ...rest } = run;
  return { ...rest, cell };
}
