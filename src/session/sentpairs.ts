import type { ISharedNotebook } from '@jupyter/ydoc';

import { idsOf } from '../context/gather';
import { Pair } from '../document/pair';

/** A pair and those before it that its last request had. */
export function sentPairs(notebook: ISharedNotebook, pair: string): Pair[] {
  const order = notebook.cells.map(cell => cell.getId());
  const context = Pair.find(notebook, pair)?.run?.context ?? [];
  const sent = new Set([...idsOf(context, order), pair]);
  return Pair.all(notebook).filter(({ id }) => sent.has(id));
}
