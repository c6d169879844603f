import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IOpenChats } from '../chat/openchats';
import { chatPlaces } from '../chat/titles';
import { readOrigin } from '../document/origin';
import { Pair } from '../document/pair';
import type { TurnbookAPI } from '../runs/api';
import { CommandIDs } from '../ui/commandids';
import { findText } from './origins';

/** What showing an origin needs. */
export interface IShowOrigin {
  app: JupyterFrontEnd;
  chats: IOpenChats;
  api: Pick<TurnbookAPI, 'listChats' | 'listRuns'>;
  trans: TranslationBundle;
}

/**
 * Go to the pair that a cell comes from.
 *
 * The cell only names ids, which are looked up among the chats that the server knows: it opens no
 * other file.
 *
 * @param metadata - What the cell says about its origin.
 * @returns What the user should know; null if the text is as it was.
 */
export async function goToOrigin(
  metadata: unknown,
  { app, chats, api, trans }: IShowOrigin
): Promise<string | null> {
  const origin = readOrigin(metadata);
  if (!origin) {
    return trans.__(
      'What this cell says about its origin cannot be read, so the reply cannot be found.'
    );
  }
  const { chatId, pair: id } = origin;
  const place = (await chatPlaces([chatId], chats, api)).get(chatId);
  if (!place) {
    return trans.__(
      'The chat that this cell came from cannot be found: it was deleted, or is on another server.'
    );
  }
  const { path } = place;
  await app.commands.execute(CommandIDs.goToPair, { path, pair: id });
  const panel = chats.find(({ context }) => context.localPath === path);
  const notebook = panel?.model?.sharedModel;
  const pair = notebook && Pair.find(notebook, id);
  if (!panel || !pair) {
    return trans.__(
      'The pair that this cell came from is no longer in this chat.'
    );
  }
  const found = findText(pair, origin);
  const cell = panel.content.pair(id);
  if (cell && found) {
    cell.shownVersion = found.in === 'version' ? found.index : null;
  }
  if (found?.in === 'reply') {
    const reply = `[data-turnbook-sibling="${found.sibling}"]`;
    const column = cell?.node.querySelector(reply);
    if (column) {
      cell!.reveal(column);
    }
    return null;
  }
  if (found?.in === 'version') {
    return trans.__(
      'The reply was replaced since. The version that this cell came from is shown.'
    );
  }
  return trans.__(
    'The reply was changed since: it no longer has the text that this cell was made from.'
  );
}
