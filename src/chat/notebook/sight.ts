/** Whether the filter hides a cell, and whether it is drawn. */
import type { Cell } from '@jupyterlab/cells';

/** A cell with a flag for the filter, since a long chat asks thousands of cells at once. */
export interface ISeenCell {
  isFilteredOut: boolean;
}

/** Whether the filter hides a cell. */
export function isFiltered(cell: Cell): boolean {
  return (cell as Partial<ISeenCell>).isFilteredOut === true;
}

/** Whether a cell is rendered; others are not in the page. */
export function isDrawn(cell: Cell): boolean {
  // Until then JupyterLab leaves it undefined, in spite of its type.
  return Boolean(cell.inputArea);
}

/**
 * Show or hide a cell by the filter.
 *
 * This sets a class; JupyterLab sees `isHidden` and `isPlaceholder`, so that arrow keys skip the
 * cell. Hiding the widget itself takes a hundred times longer.
 */
export function setFiltered(cell: Cell, filtered: boolean): void {
  if (isFiltered(cell) === filtered) {
    return;
  }
  (cell as Partial<ISeenCell>).isFilteredOut = filtered;
  if (isDrawn(cell)) {
    showFiltered(cell);
  }
}

/** Set the filter's class on a cell that is being drawn. */
export function showFiltered(cell: Cell): void {
  cell.toggleClass('jp-mod-filtered', isFiltered(cell));
}

/** The index of the visible cell nearest to `from`, preferring later ones; -1 if there is none. */
export function nearest(cells: readonly Cell[], from: number): number {
  for (let step = 1; step < cells.length; step++) {
    for (const index of [from + step, from - step]) {
      if (cells[index] && !isFiltered(cells[index])) {
        return index;
      }
    }
  }
  return -1;
}
