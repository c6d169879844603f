/** What a page knows about the attempts before a run, until the journal has been read. */
import type { ISharedNotebook } from '@jupyter/ydoc';

import { trans } from '../base/words';
import type { IRun } from '../base/run';
import type { IRunInfo } from '../document/metadata';
import { Pair } from '../document/pair';
import { slotOf, type ReplySlot } from '../document/siblings';
import type { LiveRun } from '../runs/live';
import type { OwnRuns } from './ownruns';

/** Where a run's reply is in the document, or an earlier attempt at it. */
function shownSlot(notebook: ISharedNotebook, run: IRun): ReplySlot | null {
  const pair = Pair.find(notebook, run.pair);
  return pair && slotOf(pair, run);
}

/** The run metadata of a run's pair in the document. */
export function shownRun(
  notebook: ISharedNotebook,
  run: IRun
): IRunInfo | null {
  return shownSlot(notebook, run)?.run ?? null;
}

/** Note that an attempt is this tab's: an automatic one belongs to the tab of the attempt before it. */
export function inherit(
  run: IRun,
  before: IRun | null,
  notebook: ISharedNotebook,
  own: Pick<OwnRuns, 'add' | 'has'>
): void {
  const shown = shownRun(notebook, run)?.runId;
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
  const slot = shownSlot(notebook, run);
  return slot?.run?.runId === run.continues ? (slot.reply?.text ?? '') : '';
}

/** The partial reply that a run starts over. */
export function textReplaced(notebook: ISharedNotebook, run: IRun): string {
  const shown = run.continues === null ? shownSlot(notebook, run)?.reply : null;
  return shown?.partial && shown.runId !== run.id ? shown.text : '';
}

/** Says that a reply could not be shown, and why. */
export function notShown(reason: string): string {
  return trans.__(
    'A reply could not be shown: %1 It is kept; open the chat again to see it.',
    reason
  );
}
