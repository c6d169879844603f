/**
 * Keep *read-only* a flag of a view, for all cells of a class: it is neither read from their metadata nor written there.
 * JupyterLab 4.4 to 4.6.
 *
 * Since 4.6, a notebook leaves `syncEditable` as the cell has set it. Before, it sets it for every cell,
 * and each sent message would get the metadata `editable: false`.
 */
export function ignoreEditable(cells: { prototype: object }): void {
  Object.defineProperty(cells.prototype, 'syncEditable', {
    get: () => false,
    set: () => undefined
  });
}
