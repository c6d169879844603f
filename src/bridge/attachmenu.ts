import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IFileBrowserFactory } from '@jupyterlab/filebrowser';
import { ITranslator } from '@jupyterlab/translation';

import { currentChat } from '../chat/currentchat';
import type { IOpenChats } from '../chat/openchats';
import type { ChatPanel } from '../chat/panel';
import { IChatTracker } from '../chat/tokens';
import { BridgeIDs, bridgeLooks } from './commandlooks';

/** A file in JupyterLab's file browser. */
const FILE = '.jp-DirListing-item[data-isdir="false"]';

/** Where the command is in its context menu: after those that open, rename or copy. */
const RANK = 13;

/** Attaches files of the file browser to the message being written. */
export const attachMenuPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:attach-menu',
  description:
    'Attaches files to the message being written, from the context menu of the file browser.',
  autoStart: true,
  requires: [IChatTracker, ITranslator],
  optional: [ICommandPalette, IFileBrowserFactory],
  activate: (
    { commands, contextMenu, shell }: JupyterFrontEnd,
    tracker: IOpenChats,
    translator: ITranslator,
    palette: ICommandPalette | null,
    browsers: IFileBrowserFactory | null
  ): void => {
    if (!browsers) {
      // A page of Jupyter Notebook shows one document and no files.
      return;
    }
    const trans = translator.load('jupyterlab_turnbook');
    const id = BridgeIDs.attachToChat;
    // The chat in front, else the one that was last.
    const chat = (): ChatPanel | null =>
      currentChat(shell, tracker) ?? tracker.currentWidget;
    const paths = (): string[] =>
      [...(browsers.tracker.currentWidget?.selectedItems() ?? [])]
        .filter(({ type }) => type !== 'directory')
        .map(({ path }) => path);
    commands.addCommand(id, {
      ...bridgeLooks(trans)[id],
      describedBy: { args: { type: 'object', properties: {} } },
      isEnabled: () => chat() !== null && paths().length > 0,
      // Without an open chat there is nothing to attach to.
      isVisible: () => chat() !== null,
      execute: () => {
        const panel = chat();
        const chosen = paths();
        if (panel && chosen.length) {
          shell.activateById(panel.id);
          panel.composer.take((attaching, isLocked) =>
            attaching.addPaths(chosen, isLocked)
          );
        }
      }
    });
    palette?.addItem({ command: id, category: trans.__('Turnbook') });
    contextMenu.addItem({ command: id, selector: FILE, rank: RANK });
  }
};
