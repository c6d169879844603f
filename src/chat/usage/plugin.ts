import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator } from '@jupyterlab/translation';

import { ITurnbook } from '../../runs/tokens';
import { CommandIDs } from '../../ui/commandids';
import { commandLooks } from '../../ui/commands';
import { chatTitle } from '../chattitle';
import { currentChat } from '../currentchat';
import type { IOpenChats } from '../openchats';
import type { ChatPanel } from '../panel';
import { IChatTracker } from '../tokens';
import { UsageItem } from './statusitem';
import { chatTotals } from './totals';
import { showUsage } from './usagedialog';

/** Shows what chats took: in the status bar, and in a dialog. */
export const usagePlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:usage',
  description:
    'Shows what the current chat took in the status bar, and the totals of chats and days in a dialog.',
  autoStart: true,
  requires: [ITurnbook, IChatTracker, ITranslator],
  optional: [ICommandPalette, IStatusBar],
  activate: (
    app: JupyterFrontEnd,
    turnbook: ITurnbook,
    tracker: IOpenChats,
    translator: ITranslator,
    palette: ICommandPalette | null,
    statusBar: IStatusBar | null
  ): void => {
    const trans = translator.load('jupyterlab_turnbook');
    const { commands, shell } = app;
    const current = (): ChatPanel | null => currentChat(shell, tracker);
    commands.addCommand(CommandIDs.usage, {
      ...commandLooks(trans)[CommandIDs.usage],
      isEnabled: () => current() !== null,
      execute: async () => {
        const panel = current();
        if (panel) {
          await panel.session.ready;
          await showUsage({
            api: turnbook.api,
            chat: chatTotals(panel.session),
            title: chatTitle(panel),
            priceOf: panel.session.prices.of,
            translator
          });
        }
      },
      describedBy: { args: { type: 'object', properties: {} } }
    });
    palette?.addItem({
      command: CommandIDs.usage,
      category: trans.__('Turnbook')
    });
    if (statusBar) {
      const item = new UsageItem({
        commands,
        current,
        changed: [tracker.currentChanged, shell.currentChanged],
        trans
      });
      statusBar.registerStatusItem('jupyterlab-turnbook:usage', {
        item,
        align: 'left',
        rank: 51,
        isActive: () => item.hasTotal,
        activeStateChanged: item.hasTotalChanged
      });
    }
  }
};
