/** Editing a reply in place. */
import type { TranslationBundle } from '@jupyterlab/translation';

import {
  canEditReply,
  saveEdited,
  type SeenReply
} from '../document/editedreply';
import { isUnderWay } from '../document/lifecycle';
import { isLocked } from '../document/lock';
import type { ChatSession } from '../session/session';
import type { PairCell } from './cells/cell';
import { activePair, editingWords } from './pairactions';
import type { ChatPanel } from './panel';

/** Why the reply of the active pair cannot be edited now, as a text for the user; null if it can. */
export function editReplyObstacle(
  panel: ChatPanel,
  trans: TranslationBundle
): string | null {
  const active = panel.content.activeCell;
  if (active && isLocked(panel.model!.sharedModel, active.model.sharedModel)) {
    return trans.__('This cell came with a replay and is locked.');
  }
  const cell = activePair(panel);
  if (!cell) {
    return trans.__('Choose a pair that was sent.');
  }
  if (cell.isEditing) {
    return editingWords(cell, trans);
  }
  const busy = busyWords(cell, trans);
  if (busy !== null) {
    return busy;
  }
  if (!cell.pair.reply) {
    return trans.__('This message has no reply yet.');
  }
  return canEditReply(cell.pair.parts)
    ? null
    : trans.__('This reply is not one piece of Markdown.');
}

/** Edit the reply of the active pair in place. */
export async function editActiveReply(
  panel: ChatPanel,
  trans: TranslationBundle
): Promise<void> {
  const cell = activePair(panel);
  if (!cell || editReplyObstacle(panel, trans) !== null) {
    return;
  }
  const { id } = cell.model;
  const texts = lostTexts(panel.session);
  const lost = texts.get(id);
  texts.delete(id);
  const { text: before, runId } = cell.pair.reply!;
  // What was written before may have been about an earlier reply.
  const seen = lost?.seen ?? { text: before, runId };
  const text = await cell.editReply(
    {
      text: before,
      ...(lost ? { draft: lost.text } : {}),
      obstacle: () => busyWords(cell, trans)
    },
    written => texts.set(id, { text: written, seen })
  );
  if (panel.isDisposed) {
    return;
  }
  if (text !== null && !cell.isDisposed) {
    const { sharedModel } = panel.model!;
    if (saveEdited(sharedModel, cell.pair, text, seen) === 'version') {
      panel.session.notice = trans.__(
        'Another reply came while you were editing. It stays, and your text is a version of the earlier one.'
      );
    }
  }
  panel.enterView();
}

function busyWords(
  { live, pair: { run } }: PairCell,
  trans: TranslationBundle
): string | null {
  return live || (run && isUnderWay(run.state))
    ? trans.__(
        'A reply in this chat is in progress: wait for it or stop it first.'
      )
    : null;
}

/** A text that was written in an editor, and the reply that it was made of. */
interface ILostText {
  text: string;
  seen: SeenReply;
}

/** What was written in editors that were closed without a decision, by chat and pair. */
const LOST = new WeakMap<ChatSession, Map<string, ILostText>>();

function lostTexts(session: ChatSession): Map<string, ILostText> {
  const known = LOST.get(session) ?? new Map<string, ILostText>();
  LOST.set(session, known);
  return known;
}
