/**
 * What can be seen of a cell: whether the filter hides it, and whether it is drawn.
 */
import type { Cell } from '@jupyterlab/cells';

/** A cell that knows whether the filter hides it: a long chat asks thousands of them at once. */
export interface ISeenCell {
  isFilteredOut: boolean;
}

/** Whether the filter hides a cell. */
export function isFiltered(cell: Cell): boolean {
  return (cell as Partial<ISeenCell>).isFilteredOut === true;
}

/** Whether a cell has what makes it a cell to look at; the others are not in the page. */
export function isDrawn(cell: Cell): boolean {
  // Until then JupyterLab leaves it undefined, whatever its type says.
  return Boolean(cell.inputArea);
}

/**
 * Show or hide a cell by the filter.
 *
 * A class does it, and JupyterLab is told by `isHidden` and `isPlaceholder`, so that arrow keys
 * pass over the cell. Hiding the widget itself takes a hundred times longer.
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

/** Give a cell that is being drawn the class that the filter asks for. */
export function showFiltered(cell: Cell): void {
  cell.toggleClass('jp-mod-filtered', isFiltered(cell));
}
