/**
 * What a page has of the attempts before a run, until the journal has told it.
 */
import type { ISharedNotebook } from '@jupyter/ydoc';

import type { IRun } from '../base/run';
import { findPair } from '../document/landing';
import { KEYS, readRunInfo, type IRunInfo } from '../document/metadata';
import { readReply } from '../document/reply';
import type { LiveRun } from '../runs/live';

/** What the document says of a pair's run. */
export function shownRun(
  notebook: ISharedNotebook,
  pair: string
): IRunInfo | null {
  const cell = findPair(notebook, pair);
  return cell && readRunInfo(cell.getMetadata(KEYS.run));
}

/** The text that a run goes on from. */
export function textBefore(
  notebook: ISharedNotebook,
  run: IRun,
  present: LiveRun | null
): string {
  if (run.continues === null) {
    return '';
  }
  if (present?.run.id === run.continues) {
    return present.text;
  }
  const outputs = findPair(notebook, run.pair)?.getOutputs() ?? [];
  return shownRun(notebook, run.pair)?.runId === run.continues
    ? (readReply(outputs)?.text ?? '')
    : '';
}

/** The partial reply that a run begins again. */
export function textReplaced(notebook: ISharedNotebook, run: IRun): string {
  const outputs = findPair(notebook, run.pair)?.getOutputs() ?? [];
  const shown = run.continues === null ? readReply(outputs) : null;
  return shown?.partial && shown.runId !== run.id ? shown.text : '';
}
