import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, showErrorMessage } from '@jupyterlab/apputils';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { ILauncher } from '@jupyterlab/launcher';
import { IMainMenu } from '@jupyterlab/mainmenu';
import { ITranslator } from '@jupyterlab/translation';

import { CommandIDs, type CommandID } from '../ui/commandids';
import { commandLooks } from '../ui/commands';
import { OPEN } from '../ui/late';
import { FACTORY, type IOpenChats } from './openchats';
import { IChatTracker } from './tokens';
import { KnownFiles } from '../session/knownfiles';
import { createChat, createChatOf } from '../session/newchat';

/** Creates chats. */
export const creationPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:new-chat',
  description:
    'Makes new chats from the launcher, the File menu and the palette.',
  autoStart: true,
  requires: [IChatTracker, ITranslator],
  optional: [ICommandPalette, IDefaultFileBrowser, ILauncher, IMainMenu],
  activate: (
    app: JupyterFrontEnd,
    _: IOpenChats,
    translator: ITranslator,
    palette: ICommandPalette | null,
    browser: IDefaultFileBrowser | null,
    launcher: ILauncher | null,
    menu: IMainMenu | null
  ): void => {
    const trans = translator.load('jupyterlab_turnbook');
    const { commands, serviceManager } = app;
    const looks = commandLooks(trans);
    const add = (
      id: CommandID,
      name: string,
      rank: number,
      create: (files: KnownFiles, folder: string) => Promise<string>
    ): void => {
      const look = looks[id];
      commands.addCommand(id, {
        ...look,
        label: args => (args.isPalette ? look.label : name),
        icon: args => (args.isPalette ? undefined : look.icon),
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
            const files = new KnownFiles(window.localStorage);
            return await commands.execute(OPEN, {
              path: await create(files, folder),
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
        command: id,
        category: trans.__('Turnbook'),
        args: { isPalette: true }
      });
      launcher?.add({
        command: id,
        // The Notebook category shows kernel icons, and a chat has no kernel.
        category: trans.__('Other'),
        rank
      });
    };
    const { contents } = serviceManager;
    add(CommandIDs.newChat, trans.__('Chat'), 0, (files, folder) =>
      createChat(contents, files, folder)
    );
    add(
      CommandIDs.exampleChat,
      trans.__('Example chat'),
      1,
      async (files, folder) => {
        const { exampleChat } = await import('./firststeps/example');
        const content = exampleChat(trans, Date.now());
        return createChatOf(contents, files, folder, content, 'example');
      }
    );
    menu?.fileMenu.newMenu.addItem({ command: CommandIDs.newChat, rank: 11 });
  }
};
