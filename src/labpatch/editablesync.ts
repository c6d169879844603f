import type { Cell } from '@jupyterlab/cells';

/**
 * Keep *read-only* a flag of a cell's view, which is neither read from nor written to its metadata.
 * JupyterLab 4.4 to 4.6.
 *
 * Since 4.6, a notebook leaves `syncEditable` as the cell has set it. Before, it sets it for every cell,
 * and each sent message would get the metadata `editable: false`.
 */
export function ignoreEditable(cell: Cell): void {
  Object.defineProperty(cell, 'syncEditable', {
    get: () => false,
    set: () => undefined
  });
}
