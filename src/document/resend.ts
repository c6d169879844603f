/**
 * A pair that is sent again: what the document shows of it, and how that is taken back.
 */
import type { ISharedCodeCell, ISharedNotebook } from '@jupyter/ydoc';
import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

import { KEYS, readRunInfo, type IRunInfo } from './metadata';
import { replyPlaces } from './reply';
import {
  currentVersion,
  restoreVersion,
  saveVersion,
  versionsOf
} from './versions';

/**
 * Show a pair as on its way again, with another text; what it said before becomes a version.
 *
 * Answers how to take that back. Outside the undo stack, like all sending.
 */
export function beginResend(
  notebook: ISharedNotebook,
  cell: ISharedCodeCell,
  text: string,
  info: IRunInfo
): () => void {
  const before = cell.getMetadata(KEYS.run) as PartialJSONObject | undefined;
  const version = currentVersion(cell);
  const replies = replyPlaces(cell.getOutputs());
  const next = info as unknown as PartialJSONObject;
  saveVersion(notebook, cell, version);
  notebook.transact(() => {
    cell.deleteMetadata('trusted');
    cell.deleteMetadata(KEYS.messages);
    cell.setSource(text);
    replies.forEach(place => cell.updateOutputs(place, place + 1, []));
    cell.setMetadata(KEYS.run, next);
  }, false);
  return () => {
    // Nothing of it is under way any more, so that the version may come back.
    cell.setMetadata(KEYS.run, { ...next, state: 'idle' });
    const last = versionsOf(cell).length - 1;
    if (version && restoreVersion(notebook, cell, last)) {
      dropLastVersion(notebook, cell);
    }
    restoreInfo(notebook, cell, before);
  };
}

/**
 * Put back what the machine knew of a pair before an attempt that was never made.
 *
 * As it was: an attempt that was counted and not made would hide the reply of the next one.
 */
export function restoreInfo(
  notebook: ISharedNotebook,
  cell: ISharedCodeCell,
  before: PartialJSONObject | undefined
): void {
  notebook.transact(() => {
    if (before) {
      cell.setMetadata(KEYS.run, before);
    } else {
      cell.deleteMetadata(KEYS.run);
    }
  }, false);
}

/** Take away a pair that was never sent, if it is the one that this run was to answer. */
export function removeUnsent(
  notebook: ISharedNotebook,
  pair: string,
  runId: string
): void {
  const index = notebook.cells.findIndex(
    cell =>
      cell.getId() === pair &&
      readRunInfo(cell.getMetadata(KEYS.run))?.runId === runId
  );
  if (index !== -1) {
    notebook.transact(() => notebook.deleteCell(index), false);
  }
}

/** Say of a pair that was to be sent again, or to go on, that this never left; what it said before stays. */
export function markUnsent(
  notebook: ISharedNotebook,
  pair: string,
  runId: string
): void {
  const cell = notebook.cells.find(item => item.getId() === pair);
  const info = readRunInfo(cell?.getMetadata(KEYS.run));
  if (!cell || info?.runId !== runId) {
    return;
  }
  const unsent: IRunInfo = {
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
  notebook.transact(() => {
    cell.setMetadata(KEYS.run, unsent as unknown as PartialJSONObject);
  }, false);
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
export function dropLastVersion(
  notebook: ISharedNotebook,
  cell: ISharedCodeCell
): void {
  const stored: unknown = cell.getMetadata(KEYS.versions);
  const kept = Array.isArray(stored) ? stored.slice(0, -1) : [];
  notebook.transact(() => {
    if (kept.length) {
      cell.setMetadata(KEYS.versions, kept as PartialJSONValue);
    } else {
      cell.deleteMetadata(KEYS.versions);
    }
  }, false);
}
