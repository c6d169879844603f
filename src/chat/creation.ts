import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, showErrorMessage } from '@jupyterlab/apputils';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { ILauncher } from '@jupyterlab/launcher';
import { IMainMenu } from '@jupyterlab/mainmenu';
import { ITranslator } from '@jupyterlab/translation';

import { chatIcon } from '../ui/icons';
import { IChatTracker } from './tokens';
import { FACTORY } from './factory';
import { KnownFiles } from '../session/knownfiles';
import { createChat } from '../session/newchat';

/** The command that makes a chat. */
export const NEW_CHAT = 'turnbook:new-chat';

/** New chats. */
export const creationPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:new-chat',
  description:
    'Makes new chats from the launcher, the File menu and the palette.',
  autoStart: true,
  requires: [IChatTracker, ITranslator],
  optional: [ICommandPalette, IDefaultFileBrowser, ILauncher, IMainMenu],
  activate: (
    app: JupyterFrontEnd,
    _: IChatTracker,
    translator: ITranslator,
    palette: ICommandPalette | null,
    browser: IDefaultFileBrowser | null,
    launcher: ILauncher | null,
    menu: IMainMenu | null
  ): void => {
    const trans = translator.load('jupyterlab_turnbook');
    const { commands, serviceManager } = app;
    commands.addCommand(NEW_CHAT, {
      label: args => (args.isPalette ? trans.__('New Chat') : trans.__('Chat')),
      caption: trans.__('Make a new chat notebook'),
      icon: args => (args.isPalette ? undefined : chatIcon),
      describedBy: {
        args: {
          type: 'object',
          properties: {
            cwd: { type: 'string', description: trans.__('The folder') },
            isPalette: { type: 'boolean' }
          }
        }
      },
      execute: async args => {
        const folder =
          (args.cwd as string | undefined) ?? browser?.model.path ?? '';
        try {
          const path = await createChat(
            serviceManager.contents,
            new KnownFiles(window.localStorage),
            folder
          );
          return await commands.execute('docmanager:open', {
            path,
            factory: FACTORY
          });
        } catch (error) {
          await showErrorMessage(
            trans.__('The chat could not be made'),
            error as Error
          );
          return null;
        }
      }
    });
    palette?.addItem({
      command: NEW_CHAT,
      category: trans.__('Turnbook'),
      args: { isPalette: true }
    });
    launcher?.add({
      command: NEW_CHAT,
      // The Notebook category draws kernels' pictures, and a chat has no kernel.
      category: trans.__('Other'),
      rank: 0
    });
    menu?.fileMenu.newMenu.addItem({ command: NEW_CHAT, rank: 11 });
  }
};
