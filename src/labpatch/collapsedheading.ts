import type { MarkdownCell } from '@jupyterlab/cells';

/**
 * Let a Markdown cell start with its heading expanded, whatever its metadata says. JupyterLab 4.4
 * to 4.6.
 *
 * The constructor reads the mark of a collapsed heading into `_headingCollapsed`. The public setter
 * would also write the metadata and hide the cells below. No upstream issue about it was found.
 */
export function ignoreCollapsedHeading(cell: MarkdownCell): void {
  Object.assign(cell as object, { _headingCollapsed: false });
}
