import type { Cell } from '@jupyterlab/cells';

import type { ContextCell } from '../../context/gather';
import { writtenRange, type ICellText, type IHit } from './celltext';

/** A visible cell and the matches in it. */
export interface IEntry {
  id: string;
  cell: Cell;
  /** The cell as it was read; another object after a change. */
  read: ContextCell;
  text: ICellText;
  written: readonly IHit[];
  rendered: readonly IHit[];
}

/** The number of matches in a cell. */
export function countOf({ written, rendered }: IEntry): number {
  return written.length + rendered.length;
}

/** For the sum of several cells. */
export function addCount(sum: number, entry: IEntry): number {
  return sum + countOf(entry);
}

/** One of the matches in a cell. */
export function hitOf(
  { written, rendered }: IEntry,
  index: number
): IHit & { isWritten: boolean } {
  return index < written.length
    ? { ...written[index], isWritten: true }
    : { ...rendered[index - written.length], isWritten: false };
}

/** Where the matches in a cell are, as far as they are in the page. */
export function rangesOf(entry: IEntry): AbstractRange[] {
  return Array.from({ length: countOf(entry) }, (_, index) =>
    rangeOf(entry, index)
  ).filter(range => range !== null);
}

/** Where a match is in the page; null if it is not there. */
export function rangeOf(entry: IEntry, index: number): AbstractRange | null {
  const { isWritten, start, end } = hitOf(entry, index);
  return isWritten
    ? writtenRange(entry.cell, { start, end })
    : (entry.text.shown?.range(start, end) ?? null);
}
