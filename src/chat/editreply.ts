/** Editing a reply in place. */
import type { TranslationBundle } from '@jupyterlab/translation';

import { canEditReply, editReply } from '../document/editedreply';
import { isUnderWay } from '../document/lifecycle';
import { isLocked } from '../document/lock';
import { RefusedText } from '../session/refused';
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
  const lost = lostTexts(panel.session);
  const draft = lost.take(id);
  const before = cell.pair.reply?.text ?? '';
  const text = await cell.editReply(
    {
      text: before,
      ...(draft === null ? {} : { draft }),
      obstacle: () => busyWords(cell, trans)
    },
    written => lost.keep(id, written)
  );
  if (panel.isDisposed) {
    return;
  }
  if (text !== null && !cell.isDisposed) {
    editReply(panel.model!.sharedModel, cell.pair, text, before);
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

/** What was written in editors that were closed without a decision, by chat. */
const LOST = new WeakMap<ChatSession, RefusedText>();

function lostTexts(session: ChatSession): RefusedText {
  const known = LOST.get(session) ?? new RefusedText();
  LOST.set(session, known);
  return known;
}
