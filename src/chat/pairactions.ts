/** Actions on pairs, from a cell, a key, a menu or the palette. */
import type { ISharedCell, YNotebook } from '@jupyter/ydoc';
import type { Cell } from '@jupyterlab/cells';
import { InputDialog, Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { trans } from '../base/words';
import { goToCell } from './goto';
import { isSettled } from '../document/lifecycle';
import { isLocked } from '../document/lock';
import { cycleStar, marksOf, setTopic, toggleIn } from '../document/marks';
import { pastVersions } from '../document/siblings';
import { stepVersion } from '../document/versionlist';
import { restoreVersion } from '../document/versions';
import { PairCell } from './cells/cell';
import { confirmDelete } from './composer/confirm';
import type { ChatPanel } from './panel';
import { isFreeReplayed } from '../session/replayedpair';

/** The active cell, if it is a sent pair, or an unlocked one that came with a replay. */
export function activePair(panel: ChatPanel): PairCell | null {
  const cell = panel.content.activeCell;
  if (!(cell instanceof PairCell) || cell.isHidden) {
    return null;
  }
  const { pair } = cell;
  return pair.run || isFreeReplayed(panel.model!.sharedModel, pair.cell)
    ? cell
    : null;
}

/** The cells that a command acts on: the selected visible ones. */
export function chosenCells(panel: ChatPanel): Cell[] {
  const cells = panel.content.selectedCells;
  const active = panel.content.activeCell;
  return cells.length ? cells : active && !active.isHidden ? [active] : [];
}

/** The same as shared cells. */
export function chosenShared(panel: ChatPanel): ISharedCell[] {
  return chosenCells(panel).map(cell => cell.model.sharedModel as ISharedCell);
}

/** Returns why a command cannot be run now, as a text for the user; null if it can. */
export type Obstacle = (
  panel: ChatPanel,
  trans: TranslationBundle
) => string | null;

/** Why the active pair cannot be sent again now, as a text for the user; null if it can. */
export function resendObstacle(
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
  const info = cell.pair.run;
  return panel.session.busy || (info && !isSettled(info.state))
    ? trans.__(
        'A reply in this chat is in progress: wait for it or stop it first.'
      )
    : null;
}

/** Says that a cell is being edited, and what to do. */
export function editingWords(
  { edited }: PairCell,
  trans: TranslationBundle
): string {
  return edited === 'reply'
    ? trans.__('This reply is being edited: save it or cancel first.')
    : trans.__('This message is being edited: send it or cancel first.');
}

/** Why the reply of the active pair cannot be generated again now; null if it can. */
export function regenerateObstacle(
  panel: ChatPanel,
  trans: TranslationBundle
): string | null {
  const obstacle = resendObstacle(panel, trans);
  if (obstacle !== null) {
    return obstacle;
  }
  const cell = activePair(panel)!;
  const { pair } = cell;
  if (cell.isEditing) {
    return editingWords(cell, trans);
  }
  if (!pair.hasReply) {
    return trans.__('This message has no reply yet.');
  }
  return pair.messages || (!pair.source.trim() && !pair.text.attachments.length)
    ? trans.__(
        'What this pair sends is more than its text: use Edit & Resend instead.'
      )
    : null;
}

/** Ask again for the reply of the active pair. */
export async function regenerate(panel: ChatPanel): Promise<void> {
  const cell = activePair(panel);
  if (cell) {
    cell.shownVersion = null;
    await panel.session.regenerate(cell.model.id);
  }
}

/** Edit a pair in place and send it again. */
export async function editAndResend(panel: ChatPanel): Promise<void> {
  const cell = activePair(panel);
  if (!cell || cell.isEditing) {
    return;
  }
  const pair = cell.model.id;
  panel.content.addClass('jp-mod-resending');
  const { session } = panel;
  const refused = session.refused.take(pair);
  const edit = (text: string) => {
    session.budgets.editing = { pair, text };
  };
  edit(refused ?? cell.model.sharedModel.getSource());
  const text = await cell.edit({
    onInput: edit,
    ...(refused === null ? {} : { text: refused }),
    onLost: lost => session.refused.keep(pair, lost),
    obstacle: () =>
      session.busy
        ? trans.__(
            'A reply in this chat is still in progress: wait for it or stop it, then send.'
          )
        : null
  });
  panel.content.removeClass('jp-mod-resending');
  session.budgets.editing = null;
  if (panel.isDisposed) {
    return;
  }
  panel.enterView();
  if (text !== null) {
    await session.resend(pair, text);
  }
}

/** The selected cells that are not locked. */
export function deletableCells(panel: ChatPanel): Cell[] {
  const notebook = panel.content.model!.sharedModel;
  return chosenCells(panel).filter(
    cell => !isLocked(notebook, cell.model.sharedModel as ISharedCell)
  );
}

/** Delete the selected cells; ask first if that deletes a reply. */
export async function deleteCells(
  panel: ChatPanel,
  trans: TranslationBundle
): Promise<void> {
  const cells = deletableCells(panel);
  const replies = cells.filter(
    cell => cell instanceof PairCell && cell.pair.reply
  );
  if (replies.length && !(await confirmDelete(replies.length, trans))) {
    return;
  }
  // One undo step, with nothing else in it.
  const { undoManager } = panel.content.model!
    .sharedModel as Partial<YNotebook>;
  undoManager?.stopCapturing();
  const told = cells.map(cell => panel.session.actions.delete(cell.model.id));
  undoManager?.stopCapturing();
  panel.enterView();
  await Promise.all(told);
}

/** Give the selected pairs the next star. */
export function starCells(panel: ChatPanel): void {
  cycleStar(panel.content.model!.sharedModel, chosenShared(panel));
}

/** Mark the selected pairs as in or out. */
export function toggleCells(panel: ChatPanel): void {
  toggleIn(panel.content.model!.sharedModel, chosenShared(panel));
}

/** Ask for a topic and set it on the selected pairs. */
export async function askTopic(
  panel: ChatPanel,
  trans: TranslationBundle
): Promise<void> {
  const chosen = chosenShared(panel);
  const { topics } = panel.session.context;
  const { value, button } = await InputDialog.getText({
    title: trans.__('Topic'),
    label: trans.__('A path such as ml/nlp; empty for none'),
    text: chosen.length ? marksOf(chosen[0]).topic : '',
    placeholder: topics[0] ?? 'ml/nlp'
  });
  if (button.accept && value !== null) {
    setTopic(panel.content.model!.sharedModel, chosen, value);
  }
  panel.enterView();
}

/** Show the version before or after the current view. */
export function stepVersions(panel: ChatPanel, step: -1 | 1): void {
  const cell = activePair(panel);
  if (!cell) {
    return;
  }
  const count = pastVersions(cell.pair).length;
  const next = stepVersion(count, cell.shownVersion ?? count, step);
  if (next !== null) {
    cell.shownVersion = next === count ? null : next;
  }
}

/** Whether there is a version in that direction. */
export function canStep(panel: ChatPanel, step: -1 | 1): boolean {
  const cell = activePair(panel);
  const count = cell ? pastVersions(cell.pair).length : 0;
  return (
    cell !== null &&
    stepVersion(count, cell.shownVersion ?? count, step) !== null
  );
}

/** Make the shown version the current one. */
export function restoreShown(panel: ChatPanel, trans: TranslationBundle): void {
  const cell = activePair(panel);
  const index = cell?.shownVersion ?? null;
  if (!cell || index === null) {
    return;
  }
  const { sharedModel } = panel.content.model!;
  if (restoreVersion(sharedModel, cell.pair, pastVersions(cell.pair)[index])) {
    cell.shownVersion = null;
  } else {
    panel.session.notice = trans.__(
      'The version was not restored: a reply to this message is still in progress. Wait for it or stop it.'
    );
  }
}

/** Go to the first pair that is sent with the next message. */
export function jumpToBoundary(
  panel: ChatPanel,
  trans: TranslationBundle
): void {
  const { included, visible, first } = panel.session.budgets.state;
  if (first === null || included === visible) {
    Notification.info(
      !visible
        ? trans.__('There are no visible pairs.')
        : included
          ? trans.__('All %1 visible pairs are included.', visible)
          : trans.__('None of the %1 visible pairs is included.', visible),
      { autoClose: 3000 }
    );
    return;
  }
  goToCell(panel, first);
}
