/** Continuing a reply that was stopped or cut off. */
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { errorMessage } from '../base/errors';
import { isCutOff } from '../document/cutoff';
import type { TurnbookAPI } from '../runs/api';
import { PairCell } from './cells/cell';
import { activePair, resendObstacle } from './pairactions';
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
  const { model, pair } = activePair(panel)!;
  if (!isCutOff(pair.run, pair.reply?.text ?? '')) {
    return trans.__('This reply was neither stopped nor cut off.');
  }
  if (panel.session.modes.pause.held) {
    return trans.__('A send is paused: resume it or cancel it first.');
  }
  const pairs = panel.content.widgets.filter(
    cell => cell instanceof PairCell && !cell.isHidden
  );
  return pairs[pairs.length - 1]?.model.id === model.id
    ? null
    : trans.__('Only the last reply can be continued.');
}

/**
 * Continue the reply of the active pair.
 *
 * A provider that goes on from a partial reply gets it as the last message, as after a lost
 * connection. Others need words that ask for it: they go to the composer, for the user to send.
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
  const isOpen =
    pair.run?.state !== 'succeeded' && session.journal(model.id).newest;
  if (isOpen && (await goesOn(pair.run?.model ?? '', api))) {
    await session.retry(model.id);
    return;
  }
  const words = trans.__(
    'Continue your last reply exactly where it stopped. Do not repeat any of it.'
  );
  const { draft } = session;
  draft.text = draft.text.trim() ? `${words}\n\n${draft.text}` : words;
  panel.enterInput();
}

/** Whether the provider of a model continues a partial reply at its next character. */
async function goesOn(
  model: string,
  api: Pick<TurnbookAPI, 'listProviders'>
): Promise<boolean> {
  try {
    const { providers } = await api.listProviders();
    const name = model.split('/')[0];
    const found = providers.find(provider => provider.name === name);
    return found?.continuation === 'prefill';
  } catch (error) {
    // Asking in words works everywhere.
    console.warn(`The providers are unknown: ${errorMessage(error)}`);
    return false;
  }
}
