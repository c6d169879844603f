/** A pair that was sent again, in a document that does not know it yet. */
import type { ISharedNotebook } from '@jupyter/ydoc';
import type { ICodeCell } from '@jupyterlab/nbformat';

import { joinLines } from './multiline';
import { Pair, runIn } from './pair';
import { beginResend } from './resend';
import { versionRuns } from './versionlist';

/**
 * Let a pair say what was sent, if the document is from before it was sent again with another text:
 * the file was not saved since. What it says becomes a version.
 *
 * Not for shared documents, which get the text from the page that sent it.
 *
 * @param cell - The pair as it was sent.
 * @returns Whether the document changed.
 */
export function catchUpResend(
  notebook: ISharedNotebook,
  cell: ICodeCell
): boolean {
  const pair = Pair.find(notebook, cell.id as string);
  const sent = runIn(cell.metadata);
  const known = pair?.run;
  // Replies that were asked for together bring their text when they land.
  if (!known || !sent || sent.group !== undefined) {
    return false;
  }
  const text = joinLines(cell.source);
  const isBehind =
    pair.source !== text &&
    known.attempt < sent.attempt &&
    known.runId !== sent.runId &&
    !versionRuns(pair.versions).has(sent.runId);
  if (isBehind) {
    beginResend(notebook, pair.cell, text, sent);
  }
  return isBehind;
}
