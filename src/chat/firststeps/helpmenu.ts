import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IMainMenu } from '@jupyterlab/mainmenu';
import { ITranslator } from '@jupyterlab/translation';

import { CommandIDs } from '../../ui/commandids';
import { commandLooks } from '../../ui/commands';
import { ILate } from '../../ui/late';

/** Offers help in the menus, before any chat is open. */
export const helpMenuPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:help-menu',
  description: 'The tour, the example and the help on keys and filters.',
  autoStart: true,
  requires: [ILate, ITranslator],
  optional: [IMainMenu],
  activate: (
    _: JupyterFrontEnd,
    late: ILate,
    translator: ITranslator,
    menu: IMainMenu | null
  ): void => {
    const looks = commandLooks(translator.load('jupyterlab_turnbook'));
    for (const id of [CommandIDs.keysAndFilters, CommandIDs.tour]) {
      late.addCommand(id, looks[id]);
    }
    menu?.helpMenu.addGroup(
      [
        { command: CommandIDs.tour },
        { command: CommandIDs.exampleChat, args: { isPalette: true } },
        { command: CommandIDs.keysAndFilters }
      ],
      20
    );
  }
};
