import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import { ContextMenu } from '@lumino/widgets';

import { menuRenderer } from '../filter/menurenderer';
import { activePair } from '../chat/pairactions';
import type { ChatPanel } from '../chat/panel';
import { hasLock, unlock } from '../document/lock';
import { CommandIDs, commandLooks, type CommandID } from '../ui/commands';
import { addGroups, REPLAY_MENU } from '../ui/menus';
import type { IOpenChats } from '../chat/openchats';
import { ReplayPanel, type ReplayAction } from './view/panel';
import type { Replays } from './view/replays';

/** Add the commands of replays; all are hidden while replaying is disabled. */
export function addReplayCommands(options: {
  app: JupyterFrontEnd;
  tracker: IOpenChats;
  replays: Replays;
  palette: ICommandPalette | null;
  trans: TranslationBundle;
}): void {
  const { app, tracker, replays, palette, trans } = options;
  const { commands, shell } = app;
  const looks = commandLooks(trans);
  const currentChat = (): ChatPanel | null =>
    tracker.currentWidget === shell.currentWidget
      ? tracker.currentWidget
      : null;
  const currentReplay = (): ReplayPanel | null =>
    shell.currentWidget instanceof ReplayPanel ? shell.currentWidget : null;

  const add = (
    id: CommandID,
    command: CommandRegistry.ICommandOptions & { isEnabled: () => boolean }
  ) => {
    commands.addCommand(id, {
      describedBy: { args: { type: 'object', properties: {} } },
      ...looks[id],
      ...command,
      isVisible: () => replays.enabled,
      isEnabled: () => replays.enabled && command.isEnabled(),
      execute: args => (replays.enabled ? command.execute(args) : undefined)
    });
    palette?.addItem({ command: id, category: trans.__('Turnbook') });
  };

  const replay = async (target?: string) => {
    const chat = currentChat();
    await (chat && replays.replay(chat, target));
  };
  add(CommandIDs.replay, {
    isEnabled: () => currentChat() !== null,
    describedBy: {
      args: {
        type: 'object',
        properties: {
          pair: {
            type: 'string',
            description: trans.__(
              'The pair, or “live” for the message being written; without it, what the Request panel shows'
            )
          }
        }
      }
    },
    execute: ({ pair }) => replay(pair as string | undefined)
  });
  const pairOf = () => {
    const chat = currentChat();
    return chat && activePair(chat);
  };
  add(CommandIDs.replayPair, {
    isEnabled: () => pairOf() !== null,
    execute: () => replay(pairOf()?.model.id)
  });

  add(CommandIDs.unlock, {
    isEnabled: () => {
      const notebook = currentChat()?.model?.sharedModel;
      return notebook !== undefined && hasLock(notebook);
    },
    execute: () => {
      const notebook = currentChat()?.model?.sharedModel;
      if (notebook) {
        unlock(notebook);
      }
    }
  });

  const onReplay = (
    id: CommandID,
    action: ReplayAction,
    enabled: (panel: ReplayPanel) => boolean
  ) =>
    add(id, {
      isEnabled: () => {
        const panel = currentReplay();
        return panel !== null && enabled(panel);
      },
      execute: () => {
        const panel = currentReplay();
        return panel ? replays.act(panel, action) : undefined;
      }
    });
  const shows = ({ view }: ReplayPanel) => view.built !== null;
  onReplay(CommandIDs.startChatting, 'startChatting', shows);
  onReplay(CommandIDs.restoreReplay, 'restore', ({ view }) => view.canRestore);
  onReplay(
    CommandIDs.exportReplay,
    'exportRecord',
    panel => shows(panel) && panel.key !== null
  );
  onReplay(CommandIDs.backToConversation, 'back', () => true);
  onReplay(
    CommandIDs.showReplayChanges,
    'compare',
    ({ view }) => view.built?.before != null
  );
}

/**
 * The context menu of replays; the application's own lists notebook commands, none of which work
 * here.
 */
export function replayMenu(commands: CommandRegistry): ContextMenu {
  const menu = new ContextMenu({ commands, renderer: menuRenderer });
  addGroups(menu, REPLAY_MENU, '.jp-Turnbook-replayNotebook');
  return menu;
}
