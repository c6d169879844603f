import type { JupyterFrontEnd } from '@jupyterlab/application';
import { type ICommandPalette, Notification } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import type { INotebookTracker } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IOpenChats } from '../chat/openchats';
import { chatPlaces } from '../chat/titles';
import { ORIGIN_KEY, readOrigin, type IOrigin } from '../document/origin';
import { Pair } from '../document/pair';
import type { TurnbookAPI } from '../runs/api';
import { CommandIDs } from '../ui/commandids';
import { commandLooks } from '../ui/commands';
import { findText } from './origins';

/** Adds *Show Where This Came From* for cells that were made from replies. */
export function addShowOrigin(options: IShowOrigin): void {
  const { app, notebooks, palette, trans } = options;
  const current = (): Cell | null =>
    notebooks.currentWidget === app.shell.currentWidget
      ? notebooks.activeCell
      : null;
  const isEnabled = () =>
    current()?.model.getMetadata(ORIGIN_KEY) !== undefined;
  app.commands.addCommand(CommandIDs.showOrigin, {
    ...commandLooks(trans)[CommandIDs.showOrigin],
    describedBy: {
      args: { type: 'object', properties: { isMenu: { type: 'boolean' } } }
    },
    isEnabled,
    // Few cells have a use for it.
    isVisible: args => !args.isMenu || isEnabled(),
    execute: async () => {
      const origin = readOrigin(current()?.model.getMetadata(ORIGIN_KEY));
      const problem = await goToOrigin(origin, options);
      if (problem) {
        Notification.warning(problem, { autoClose: false });
      }
    }
  });
  palette?.addItem({
    command: CommandIDs.showOrigin,
    category: trans.__('Turnbook')
  });
  app.contextMenu.addItem({
    command: CommandIDs.showOrigin,
    args: { isMenu: true },
    selector: '.jp-Notebook:not(.jp-Turnbook-notebook) .jp-Cell',
    rank: 50
  });
}

/** What showing an origin needs. */
export interface IShowOrigin {
  app: JupyterFrontEnd;
  chats: IOpenChats;
  notebooks: INotebookTracker;
  api: Pick<TurnbookAPI, 'listChats' | 'listRuns'>;
  palette: ICommandPalette | null;
  trans: TranslationBundle;
}

/**
 * Go to the pair that a cell comes from.
 *
 * The cell only names ids, which are looked up among the chats that the server knows: it opens no
 * other file.
 *
 * @returns What the user should know; null if the text is as it was.
 */
async function goToOrigin(
  origin: IOrigin | null,
  { app, chats, api, trans }: IShowOrigin
): Promise<string | null> {
  if (!origin) {
    return trans.__(
      'What this cell says about its origin cannot be read, so the reply cannot be found.'
    );
  }
  const { chatId, pair: id, sha256 } = origin;
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
  if (!pair) {
    return trans.__(
      'The pair that this cell came from is no longer in this chat.'
    );
  }
  const found = findText(pair, sha256);
  if (found?.in === 'version') {
    const cell = panel!.content.pair(id);
    if (cell) {
      cell.shownVersion = found.index;
    }
    return trans.__(
      'The reply was replaced since. The version that this cell came from is shown.'
    );
  }
  return found
    ? null
    : trans.__(
        'The reply was changed since: it no longer has the text that this cell was made from.'
      );
}
