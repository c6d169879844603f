import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, Notification } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';

import type { IOpenChats } from '../chat/openchats';
import { IChatTracker } from '../chat/tokens';
import { ORIGIN_KEY } from '../document/origin';
import { ITurnbook } from '../runs/tokens';
import { CommandIDs } from '../ui/commandids';
import { commandLooks } from '../ui/commands';

/** Leads from a cell that was made from a reply back to it. */
export const originPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:origin',
  description: 'Shows the reply that a notebook’s cell was made from.',
  autoStart: true,
  requires: [IChatTracker, ITurnbook, INotebookTracker, ITranslator],
  optional: [ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    chats: IOpenChats,
    { api }: ITurnbook,
    notebooks: INotebookTracker,
    translator: ITranslator,
    palette: ICommandPalette | null
  ): void => {
    const trans = translator.load('jupyterlab_turnbook');
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
        const metadata = current()?.model.getMetadata(ORIGIN_KEY);
        const { goToOrigin } = await import('./gotoorigin');
        const problem = await goToOrigin(metadata, { app, chats, api, trans });
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
};
