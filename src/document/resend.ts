/** A pair that is sent again: what the document shows, and how that is undone. */
import type { ISharedCodeCell, ISharedNotebook } from '@jupyter/ydoc';
import type { PartialJSONValue } from '@lumino/coreutils';

import { isUnderWay } from './lifecycle';
import type { IRunInfo } from './metadata';
import { Pair } from './pair';
import { replyPlaces } from './reply';
import { siblingsOf } from './siblings';
import { pairError } from './state';
import { isAwaited } from './versionlist';
import { currentVersion, restoreVersion, saveVersion } from './versions';

/**
 * Show a pair as being sent again, with another text; what it said before becomes a version.
 *
 * Returns a function that undoes this. Outside the undo stack, like all sending.
 */
export function beginResend(
  notebook: ISharedNotebook,
  cell: ISharedCodeCell,
  text: string,
  info: IRunInfo
): () => void {
  const pair = new Pair(cell);
  const before = pair.storedRun;
  const version = currentVersion(pair);
  const replies = replyPlaces(pair.parts);
  saveVersion(notebook, pair, version);
  notebook.transact(() => {
    pair.distrust();
    pair.setMessages(undefined);
    pair.source = text;
    pair.changeParts(replies);
    pair.setRun(info);
  }, false);
  return () => {
    // Nothing is in progress any more, so the version can be restored.
    pair.setRun({ ...info, state: 'idle' });
    const last = pair.versions.length - 1;
    if (version && restoreVersion(notebook, pair, last)) {
      dropLastVersion(notebook, pair);
    }
    restoreRun(notebook, pair, before);
  };
}

/**
 * Restore a pair's run metadata from before an attempt that was never made.
 *
 * Exactly: an attempt that was counted but not made would hide the reply of the next one.
 */
export function restoreRun(
  notebook: ISharedNotebook,
  pair: Pair,
  before: PartialJSONValue | undefined
): void {
  notebook.transact(() => pair.setRun(before), false);
}

/** Remove a pair that was never sent, if this run was meant for it. */
export function removeUnsent(
  notebook: ISharedNotebook,
  pair: string,
  runId: string
): void {
  const index = notebook.cells.findIndex(
    cell => cell.getId() === pair && isMeantFor(Pair.of(cell), runId)
  );
  if (index !== -1) {
    notebook.transact(() => notebook.deleteCell(index), false);
  }
}

/** Whether a pair was made for a run; in another tab another reply to it may have been chosen. */
function isMeantFor(pair: Pair | null, runId: string): boolean {
  const others = pair?.versions.filter(isAwaited) ?? [];
  return [pair?.run, ...others].some(one => one?.runId === runId);
}

/**
 * Mark that a resend or a continuation of a pair was never sent, and neither were the siblings that
 * were to go with it; what it said before stays.
 */
export function markUnsent(
  notebook: ISharedNotebook,
  id: string,
  runId: string
): void {
  const pair = Pair.find(notebook, id);
  if (!pair) {
    return;
  }
  const siblings = siblingsOf(pair);
  const isGroup = siblings.some(({ info }) => info.runId === runId);
  notebook.transact(() => {
    if (pair.run?.runId === runId) {
      pair.setRun(unsentInfo(pair.run));
    }
    for (const { info, slot } of isGroup ? siblings : []) {
      if (isUnderWay(info.state)) {
        slot.setRun(unsentInfo(info));
      }
    }
  }, false);
}

/**
 * Mark the siblings of a restored pair that wait for a reply of which there is no run; returns whether
 * there are such.
 *
 * They name no run afterwards, so that one that is found later still lands in its place.
 */
export function settleLost(
  notebook: ISharedNotebook,
  id: string,
  runs: readonly { sibling?: number }[]
): boolean {
  const pair = Pair.find(notebook, id);
  const found = new Set(runs.map(({ sibling = 0 }) => sibling));
  const lost = (pair ? siblingsOf(pair) : []).filter(
    ({ index, info }) => isUnderWay(info.state) && !found.has(index)
  );
  const error = pairError({ state: 'interrupted', end: null });
  notebook.transact(() => {
    for (const { info, slot } of lost) {
      slot.setRun({ ...info, state: 'error', runId: '', error });
    }
  }, false);
  return lost.length > 0;
}

function unsentInfo(info: IRunInfo): IRunInfo {
  return {
    ...info,
    state: 'error',
    // The attempt was never made, and must not hide the reply of the next one.
    attempt: Math.max(info.attempt - 1, 1),
    error: {
      type: 'network',
      code: 'unsent',
      status: null,
      message:
        'This had not reached the server when the page went away. Send it again if you still want a reply.'
    }
  };
}

/** The id of the cell before another; null for the first. */
export function cellBefore(
  notebook: ISharedNotebook,
  id: string
): string | null {
  const index = notebook.cells.findIndex(cell => cell.getId() === id);
  return index > 0 ? notebook.cells[index - 1].getId() : null;
}

/** Drop the last version; it was never sent. Entries that cannot be read stay. */
export function dropLastVersion(notebook: ISharedNotebook, pair: Pair): void {
  const kept = pair.storedVersions.slice(0, -1);
  notebook.transact(() => pair.setVersions(kept), false);
}
