/**
 * Pairs that came with a replay: they were sent elsewhere, if at all.
 */
import type { ISharedCodeCell, ISharedNotebook } from '@jupyter/ydoc';

import { idRanges } from '../context/gather';
import { isLocked, isReplayed } from '../document/lock';
import type { IRunInfo } from '../document/metadata';
import { Pair } from '../document/pair';

/** Whether a pair came with a replay, can be edited, and was not sent from here yet. */
export function isFreeReplayed(
  notebook: ISharedNotebook,
  cell: ISharedCodeCell
): boolean {
  return (
    isReplayed(cell) &&
    !isLocked(notebook, cell) &&
    new Pair(cell).storedRun === undefined
  );
}

/** The run metadata of such a pair: without bytes, and with the cells above as its context. */
export function unsentInfo(
  notebook: ISharedNotebook,
  pair: string,
  model: string
): IRunInfo {
  const order = notebook.cells.map(cell => cell.getId());
  return {
    state: 'idle',
    model,
    createdAt: 0,
    updatedAt: 0,
    runId: '',
    attempt: 0,
    context: idRanges(order.slice(0, order.indexOf(pair)), order),
    requestHash: ''
  };
}
