import type { ISharedNotebook } from '@jupyter/ydoc';

import { writeResults, type Results } from '../document/continue';
import { findPair } from '../document/landing';
import type { ChatFile } from './file';

/** Write tool results into a pair; nothing is sent. */
export function keepResults(
  notebook: ISharedNotebook,
  file: Pick<ChatFile, 'autosave'>,
  pair: string,
  round: number,
  written: Results
): void {
  const cell = findPair(notebook, pair);
  if (cell && writeResults(cell, round, written)) {
    file.autosave();
  }
}
