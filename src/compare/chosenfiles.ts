/** What the user wants to compare outside of chats. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IFileBrowserFactory } from '@jupyterlab/filebrowser';
import type { INotebookTracker } from '@jupyterlab/notebook';

import { isObject } from '../base/json';
import type { IItem } from './items';
import { MOST, RESULT_KEY } from './side';

/** Files that can be compared, by their names: chats, records, and what reruns write. */
const COMPARABLE = /(\.(chat|replay)(-Copy\d*)?|results[^/]*)\.ipynb$/i;

/** The selected files of the file browser; null if they cannot be compared. */
export function chosenFiles(
  browsers: IFileBrowserFactory | null
): IItem[] | null {
  const items = [...(browsers?.tracker.currentWidget?.selectedItems() ?? [])];
  return items.every(({ path }) => COMPARABLE.test(path))
    ? few(items.map(({ path }) => ({ path })))
    : null;
}

/** The selected results of the current notebook; null if they are not two to four. */
export function chosenResults(
  shell: JupyterFrontEnd.IShell,
  notebooks: INotebookTracker | null
): IItem[] | null {
  const panel = notebooks?.currentWidget;
  if (!panel || panel !== shell.currentWidget) {
    return null;
  }
  const { path } = panel.context;
  return few(
    panel.content.selectedCells
      .filter(({ model }) => isObject(model.getMetadata(RESULT_KEY)))
      .map(({ model }) => ({ path, cell: model.id }))
  );
}

/** The items, if they are as many as can be compared; else null. */
export function few(items: IItem[]): IItem[] | null {
  return items.length > 1 && items.length <= MOST ? items : null;
}
