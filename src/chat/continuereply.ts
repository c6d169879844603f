/** Continuing a reply that was stopped or cut off. */
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { errorMessage } from '../base/errors';
import { isCutOff } from '../document/cutoff';
import type { TurnbookAPI } from '../runs/api';
import { PairCell } from './cells/cell';
import { activePair, editingWords, resendObstacle } from './pairactions';
import type { ChatPanel } from './panel';

/** Why the reply of the active pair cannot be continued now; null if it can. */
export function continueObstacle(
  panel: ChatPanel,
  trans: TranslationBundle
): string | null {
  const obstacle = resendObstacle(panel, trans);
  if (obstacle !== null) {
    return obstacle;
  }
  const cell = activePair(panel)!;
  const { model, pair } = cell;
  if (cell.isEditing) {
    return editingWords(cell, trans);
  }
  if (pair.reply?.sent === false) {
    return trans.__('This reply is not sent: choose Send the reply first.');
  }
  if (!isCutOff(pair.run, pair.reply?.text ?? '')) {
    return trans.__('This reply was neither stopped nor cut off.');
  }
  if (panel.session.modes.pause.held) {
    return trans.__('A message is paused: resume it or cancel it first.');
  }
  if (panel.composer.isLocked) {
    return trans.__(
      'A message waits to be sent: wait for it or cancel it first.'
    );
  }
  const { widgets } = panel.content;
  let at = widgets.length - 1;
  while (
    at >= 0 &&
    (!(widgets[at] instanceof PairCell) || widgets[at].isHidden)
  ) {
    at--;
  }
  return widgets[at]?.model.id === model.id
    ? null
    : trans.__('Only the last reply can be continued.');
}

/**
 * Continue the reply of the active pair.
 *
 * A provider that goes on from a partial reply gets it as the last message, as after a lost
 * connection. Others need words that ask for it: they go to the composer, for the user to send, as
 * they do while sends are paused for review.
 */
export async function continueReply(
  panel: ChatPanel,
  api: Pick<TurnbookAPI, 'listProviders'>,
  trans: TranslationBundle
): Promise<void> {
  const obstacle = continueObstacle(panel, trans);
  if (obstacle !== null) {
    Notification.info(obstacle, { autoClose: 3000 });
    return;
  }
  const { session } = panel;
  const { model, pair } = activePair(panel)!;
  // The server continues its newest attempt as it came; another version may be here, or an edited
  // text.
  const { newest } = session.journal(model.id);
  const isNewest =
    pair.run?.state !== 'succeeded' &&
    newest?.id === pair.run?.runId &&
    !pair.reply?.edited;
  const isReviewed = session.modes.pause.mode !== 'off';
  if (newest && isNewest && !isReviewed) {
    const continues = await goesOn(newest.provider, api);
    if (panel.isDisposed || continueObstacle(panel, trans) !== null) {
      return;
    }
    if (continues) {
      // The button is about to disappear, with the focus.
      panel.enterView();
      await session.retry(model.id);
      return;
    }
  }
  const words = trans.__(
    'Continue your last reply exactly where it stopped. Do not repeat any of it.'
  );
  const { draft } = session;
  if (!draft.text.startsWith(words)) {
    draft.text = draft.text.trim() ? `${words}\n\n${draft.text}` : words;
  }
  panel.enterInput();
}

/** Whether a provider continues a partial reply at its next character. */
async function goesOn(
  name: string,
  api: Pick<TurnbookAPI, 'listProviders'>
): Promise<boolean> {
  try {
    const { providers } = await api.listProviders();
    const found = providers.find(provider => provider.name === name);
    return found?.continuation === 'prefill';
  } catch (error) {
    // Asking in words works everywhere.
    console.warn(`The providers are unknown: ${errorMessage(error)}`);
    return false;
  }
}
