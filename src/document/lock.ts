/** The replayed cells of a chat started from a replay: locked until the user unlocks them. */
import type { ISharedCell, ISharedNotebook } from '@jupyter/ydoc';

import { isObject } from '../base/json';
import { changeChatEntry, chatInfo } from './chatentry';
import { KEYS, type ILineage } from './metadata';

/** The lineage of a chat started from a replay; null for any other chat. */
export function forkLineage(notebook: ISharedNotebook): ILineage | null {
  const { lineage } = chatInfo(notebook) ?? {};
  return typeof lineage?.replay_parent_session_id === 'string' ? lineage : null;
}

/** Whether the replayed cells of a chat are protected from editing and deletion. */
export function hasLock(notebook: ISharedNotebook): boolean {
  return forkLineage(notebook)?.locked === true;
}

/** Whether a cell came with a replay. */
export function isReplayed(cell: ISharedCell): boolean {
  return cell.getMetadata(KEYS.replay) !== undefined;
}

/** Whether a cell is protected from editing and deletion. */
export function isLocked(
  notebook: ISharedNotebook,
  cell: ISharedCell
): boolean {
  return isReplayed(cell) && hasLock(notebook);
}

/** Allow editing and deleting the replayed cells. */
export function unlock(notebook: ISharedNotebook): void {
  changeChatEntry(notebook, entry =>
    isObject(entry.lineage)
      ? { ...entry, lineage: { ...entry.lineage, locked: false } }
      : entry
  );
}
