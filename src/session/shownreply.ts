/** What a page knows about the attempts before a run, until the journal has been read. */
import type { ISharedNotebook } from '@jupyter/ydoc';

import { trans } from '../base/words';
import type { IRun } from '../base/run';
import type { IRunInfo } from '../document/metadata';
import { Pair } from '../document/pair';
import type { LiveRun } from '../runs/live';
import type { OwnRuns } from './ownruns';

/** The run metadata of a pair in the document. */
export function shownRun(
  notebook: ISharedNotebook,
  pair: string
): IRunInfo | null {
  return Pair.find(notebook, pair)?.run ?? null;
}

/** Note that an attempt is this tab's: an automatic one belongs to the tab of the attempt before it. */
export function inherit(
  run: IRun,
  before: IRun | null,
  notebook: ISharedNotebook,
  own: Pick<OwnRuns, 'add' | 'has'>
): void {
  const shown = shownRun(notebook, run.pair)?.runId;
  const isMine = [before?.id, run.continues, run.replaces, shown].some(
    id => !!id && own.has(id)
  );
  if (run.automatic && isMine && !own.has(run.id)) {
    own.add(run.id);
  }
}

/** The text that a run continues. */
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

/** The partial reply that a run starts over. */
export function textReplaced(notebook: ISharedNotebook, run: IRun): string {
  const shown =
    run.continues === null ? Pair.find(notebook, run.pair)?.reply : null;
  return shown?.partial && shown.runId !== run.id ? shown.text : '';
}

/** Says that a reply could not be shown, and why. */
export function notShown(reason: string): string {
  return trans.__(
    'A reply could not be shown: %1 It is kept; open the chat again to see it.',
    reason
  );
}
