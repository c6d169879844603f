/**
 * What a page has of the attempts before a run, until the journal has told it.
 */
import type { ISharedNotebook } from '@jupyter/ydoc';

import type { IRun } from '../base/run';
import type { IRunInfo } from '../document/metadata';
import { Pair } from '../document/pair';
import type { LiveRun } from '../runs/live';

/** What the document says of a pair's run. */
export function shownRun(
  notebook: ISharedNotebook,
  pair: string
): IRunInfo | null {
  return Pair.find(notebook, pair)?.run ?? null;
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
  const pair = Pair.find(notebook, run.pair);
  return pair?.run?.runId === run.continues ? (pair.reply?.text ?? '') : '';
}

/** The partial reply that a run begins again. */
export function textReplaced(notebook: ISharedNotebook, run: IRun): string {
  const shown =
    run.continues === null ? Pair.find(notebook, run.pair)?.reply : null;
  return shown?.partial && shown.runId !== run.id ? shown.text : '';
}
