import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ITranslator } from '@jupyterlab/translation';

import { CHAT_PATTERN } from './document/chatfile';
import { REPLAY_PATTERN } from './replay/model/names';
import { ILate, Late } from './ui/late';

const loadRooms = () => import('./rooms');

if (namesOurs(window.location)) {
  // Fetched beside JupyterLab's own files, and not after them; the plugin below says what fails.
  loadRooms().catch(() => undefined);
}

/**
 * Loads the other plugins when they are needed. It has the id of `schema/commands.json`, since
 * JupyterLab reads the keys and menus only of plugins that are there when a page starts.
 */
export const latePlugin: JupyterFrontEndPlugin<ILate> = {
  id: 'jupyterlab-turnbook:commands',
  description:
    'The keys and menus of Turnbook; loads what chats need when the first one is opened.',
  autoStart: true,
  requires: [ITranslator],
  optional: [ICommandPalette],
  provides: ILate,
  activate: (
    app: JupyterFrontEnd,
    translator: ITranslator,
    palette: ICommandPalette | null
  ): ILate =>
    new Late({
      app,
      plugins: loadRooms,
      palette,
      trans: translator.load('jupyterlab_turnbook')
    })
};

/**
 * Loads them before the page opens the document that its address names: a page of Jupyter Notebook
 * shows one document and cannot replace it by another.
 */
export const addressPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:address',
  description: 'Prepares a page whose address names a chat.',
  autoStart: true,
  requires: [ILate],
  activate: async (_: JupyterFrontEnd, late: ILate): Promise<void> => {
    if (namesOurs(window.location)) {
      await late.load().catch(error => {
        console.error('Turnbook: the view could not be loaded', error);
      });
    }
  }
};

/** Whether an address names a chat or a replay, or asks for a view of Turnbook. */
function namesOurs({
  pathname,
  search
}: Pick<Location, 'pathname' | 'search'>): boolean {
  return (
    new RegExp(`${CHAT_PATTERN}|${REPLAY_PATTERN}`).test(pathname) ||
    search.includes('Turnbook')
  );
}
