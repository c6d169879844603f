import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ITranslator } from '@jupyterlab/translation';

import { CommandIDs } from '../../ui/commandids';
import { commandLooks } from '../../ui/commands';
import { currentChat } from '../currentchat';
import type { IOpenChats } from '../openchats';
import type { ChatPanel } from '../panel';
import { IChatTracker } from '../tokens';
import { EmptyChat } from './emptychat';
import { showKeysAndFilters } from './keysandfilters';
import { Tour, tourSteps } from './tour';

/** What helps a new user. */
export const firstStepsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:first-steps',
  description:
    'What an empty chat offers, a tour, and help on keys and filters.',
  autoStart: true,
  requires: [IChatTracker, ITranslator],
  optional: [ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    tracker: IOpenChats,
    translator: ITranslator,
    palette: ICommandPalette | null
  ): void => {
    const trans = translator.load('jupyterlab_turnbook');
    const looks = commandLooks(trans);
    const { commands, shell } = app;
    const current = () => currentChat(shell, tracker);

    commands.addCommand(CommandIDs.keysAndFilters, {
      ...looks[CommandIDs.keysAndFilters],
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => {
        const bar = current()?.filterBar;
        return showKeysAndFilters({
          commands,
          trans,
          ...(bar ? { onFilter: text => bar.apply(text) } : {})
        });
      }
    });
    let tour: Tour | null = null;
    commands.addCommand(CommandIDs.tour, {
      ...looks[CommandIDs.tour],
      describedBy: { args: { type: 'object', properties: {} } },
      execute: async () => {
        // Without a chat there would be nothing to see.
        const panel: ChatPanel | null =
          current() ?? (await commands.execute(CommandIDs.exampleChat));
        if (panel) {
          await panel.revealed;
          tour?.leave();
          tour = new Tour(panel, tourSteps(trans), trans);
        }
      }
    });
    shell.currentChanged?.connect(() => {
      if (tour && tour.panel !== current()) {
        // What it points at is out of view.
        tour.leave();
      }
    });
    for (const command of [CommandIDs.keysAndFilters, CommandIDs.tour]) {
      palette?.addItem({ command, category: trans.__('Turnbook') });
    }

    tracker.widgetAdded.connect((_, panel) => {
      new EmptyChat({ panel, commands, trans });
      // By the character, since its key is elsewhere on each keyboard.
      panel.node.addEventListener('keydown', event => {
        if (
          event.key === '?' &&
          !event.ctrlKey &&
          !event.metaKey &&
          !isTyping(event.target)
        ) {
          event.preventDefault();
          void commands.execute(CommandIDs.keysAndFilters);
        }
      });
    });
  }
};

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches(':read-write, select');
}
