import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ITranslator } from '@jupyterlab/translation';

import { ITurnbook } from '../../runs/tokens';
import { CommandIDs, type CommandID } from '../../ui/commandids';
import { commandLooks } from '../../ui/commands';
import { currentChat } from '../currentchat';
import type { IOpenChats } from '../openchats';
import { activePair, type Obstacle } from '../pairactions';
import type { ChatPanel } from '../panel';
import { chooseActive, chooseObstacle, combineReplies } from '../siblings';
import { IChatTracker } from '../tokens';
import { chooseSeveral } from './askseveral';
import { ModelSets } from './modelsets';
import { askObstacle, moreObstacle } from './obstacles';

/** Asking several models, and choosing among their replies. */
export const severalPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:several',
  description: 'Several replies to one message: asking, choosing, combining.',
  autoStart: true,
  requires: [IChatTracker, ITurnbook, ITranslator],
  optional: [ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    tracker: IOpenChats,
    turnbook: ITurnbook,
    translator: ITranslator,
    palette: ICommandPalette | null
  ): void => {
    const trans = translator.load('jupyterlab_turnbook');
    const looks = commandLooks(trans);
    const { commands, shell } = app;
    const sets = new ModelSets(window.localStorage);

    const add = (
      id: CommandID,
      run: (panel: ChatPanel, args: { reply?: unknown }) => unknown,
      obstacle: Obstacle,
      properties: Record<string, { type: 'integer'; description: string }> = {}
    ): void => {
      const look = looks[id];
      const current = () => currentChat(shell, tracker);
      commands.addCommand(id, {
        execute: args => {
          const panel = current();
          return panel && run(panel, args);
        },
        isEnabled: () => {
          const panel = current();
          return panel !== null && obstacle(panel, trans) === null;
        },
        describedBy: { args: { type: 'object', properties } },
        ...look,
        caption: () => {
          const panel = current();
          return (panel && obstacle(panel, trans)) ?? look.caption ?? '';
        }
      });
      palette?.addItem({ command: id, category: trans.__('Turnbook') });
    };

    const choose = (
      panel: ChatPanel,
      options: {
        title: string;
        ask: string;
        models: string[];
        tokens: number | null;
      }
    ) => {
      const { about, prices } = panel.session;
      return chooseSeveral({
        ...options,
        list: turnbook.catalog.list,
        sets,
        windowOf: model => about.windowOf(model),
        priceOf: prices.of,
        trans
      });
    };

    add(
      CommandIDs.askSeveral,
      async panel => {
        const { budgets, model } = panel.session;
        const models = await choose(panel, {
          title: trans.__('Ask several models'),
          ask: trans.__('Ask'),
          models: model ? [model] : [],
          tokens: budgets.state.total
        });
        if (models) {
          panel.composer.send(models);
        }
      },
      askObstacle
    );
    add(
      CommandIDs.regenerateWith,
      async panel => {
        const cell = activePair(panel);
        const pair = cell?.model.id;
        const models = await choose(panel, {
          title: trans.__('Ask other models for a reply to this message'),
          ask: trans.__('Ask'),
          models: [],
          tokens: null
        });
        if (pair && models) {
          await panel.session.askMore(pair, models);
        }
      },
      moreObstacle
    );
    add(
      CommandIDs.chooseReply,
      (panel, { reply }) =>
        chooseActive(panel, typeof reply === 'number' ? reply : undefined),
      chooseObstacle,
      {
        reply: {
          type: 'integer',
          description: trans.__(
            'Which reply, from 1; by default, the one that has the focus, else the next.'
          )
        }
      }
    );
    add(
      CommandIDs.combineReplies,
      panel => combineReplies(panel, trans),
      chooseObstacle
    );
  }
};
