import {
  ILabShell,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  CommandToolbarButton,
  ICommandPalette,
  IToolbarWidgetRegistry
} from '@jupyterlab/apputils';
import { ITranslator } from '@jupyterlab/translation';

import { currentChat, isInSidebar } from '../chat/currentchat';
import { FACTORY, type IOpenChats } from '../chat/openchats';
import type { ChatPanel } from '../chat/panel';
import { IChatTracker } from '../chat/tokens';
import { chatIcon } from '../ui/icons';
import { refreshCommands } from '../ui/refresh';
import { BridgeIDs, bridgeLooks } from './commandlooks';

/** Moves chats between the main area and the right sidebar. */
export const sidebarPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:sidebar',
  description: 'Moves chats between the main area and the right sidebar.',
  autoStart: true,
  requires: [IChatTracker, ITranslator],
  optional: [ICommandPalette, ILabShell, IToolbarWidgetRegistry],
  activate: (
    app: JupyterFrontEnd,
    tracker: IOpenChats,
    translator: ITranslator,
    palette: ICommandPalette | null,
    shell: ILabShell | null,
    toolbars: IToolbarWidgetRegistry | null
  ): void => {
    const trans = translator.load('jupyterlab_turnbook');
    const id = BridgeIDs.sidebar;
    const look = bridgeLooks(trans)[id];
    const { commands } = app;
    // A page of Jupyter Notebook shows one document, and its sidebar is empty.
    const current = (): ChatPanel | null =>
      shell && currentChat(shell, tracker);
    const isAside = (): boolean => {
      const chat = current();
      return chat !== null && isInSidebar(chat);
    };
    commands.addCommand(id, {
      ...look,
      label: () =>
        isAside() ? trans.__('Move Chat to the Main Area') : look.label,
      caption: () =>
        isAside()
          ? trans.__('Move this chat from the sidebar to the main area')
          : (look.caption ?? ''),
      describedBy: { args: { type: 'object', properties: {} } },
      isEnabled: () => current() !== null,
      isVisible: () => shell !== null,
      execute: () => {
        const chat = current();
        if (!chat) {
          return;
        }
        // Each area binds the icon to a look of its own.
        chat.title.icon = chatIcon;
        app.shell.add(chat, isInSidebar(chat) ? 'main' : 'right');
        app.shell.activateById(chat.id);
        refreshCommands(commands);
      }
    });
    palette?.addItem({ command: id, category: trans.__('Turnbook') });
    toolbars?.addFactory<ChatPanel>(
      FACTORY,
      'sidebar',
      () =>
        new CommandToolbarButton({
          commands,
          id,
          label: trans.__('Sidebar')
        })
    );
  }
};
