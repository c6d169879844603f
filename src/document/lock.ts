/**
 * The replayed cells of a chat that was started from a replay: locked until the user unlocks them.
 */
import type { ISharedCell, ISharedNotebook } from '@jupyter/ydoc';
import type { PartialJSONObject } from '@lumino/coreutils';

import { isObject } from '../base/json';
import { KEYS, readChatInfo, type ILineage } from './metadata';

/** The lineage of a chat that was started from a replay; null for any other chat. */
export function forkLineage(notebook: ISharedNotebook): ILineage | null {
  const { lineage } = readChatInfo(notebook.getMetadata(KEYS.notebook)) ?? {};
  return typeof lineage?.replay_parent_session_id === 'string' ? lineage : null;
}

/** Whether the replayed cells of a chat can be neither edited nor deleted. */
export function hasLock(notebook: ISharedNotebook): boolean {
  return forkLineage(notebook)?.locked === true;
}

/** Whether a cell came with a replay. */
export function isReplayed(cell: ISharedCell): boolean {
  return cell.getMetadata(KEYS.replay) !== undefined;
}

/** Whether a cell can be neither edited nor deleted. */
export function isLocked(
  notebook: ISharedNotebook,
  cell: ISharedCell
): boolean {
  return isReplayed(cell) && hasLock(notebook);
}

/** Let the replayed cells be edited and deleted. */
export function unlock(notebook: ISharedNotebook): void {
  const entry = notebook.getMetadata(KEYS.notebook);
  if (isObject(entry) && isObject(entry.lineage)) {
    const lineage: PartialJSONObject = { ...entry.lineage, locked: false };
    notebook.transact(() => {
      notebook.setMetadata(KEYS.notebook, { ...entry, lineage });
    }, false);
  }
}
