import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import { ContextMenu } from '@lumino/widgets';

import { REPLAY_PAIR } from '../chat/commands';
import { activePair } from '../chat/pairactions';
import type { ChatPanel } from '../chat/panel';
import { replayIcon } from '../ui/icons';
import type { IChatTracker } from '../chat/tokens';
import { ReplayPanel, type ReplayAction } from './view/panel';
import type { Replays } from './view/replays';

/** The commands of replays. */
export const ReplayCommandIDs = {
  replay: 'turnbook:replay',
  startChatting: 'turnbook:start-chatting',
  restore: 'turnbook:restore-replay',
  exportRecord: 'turnbook:export-replay',
  back: 'turnbook:back-to-conversation',
  changes: 'turnbook:show-replay-changes'
} as const;

/** Add the commands of replays; all are hidden while replaying is switched off. */
export function addReplayCommands(options: {
  app: JupyterFrontEnd;
  tracker: IChatTracker;
  replays: Replays;
  palette: ICommandPalette | null;
  trans: TranslationBundle;
}): void {
  const { app, tracker, replays, palette, trans } = options;
  const { commands, shell } = app;
  const currentChat = (): ChatPanel | null =>
    tracker.currentWidget === shell.currentWidget
      ? tracker.currentWidget
      : null;
  const currentReplay = (): ReplayPanel | null =>
    shell.currentWidget instanceof ReplayPanel ? shell.currentWidget : null;

  const add = (
    id: string,
    command: CommandRegistry.ICommandOptions & { isEnabled: () => boolean }
  ) => {
    commands.addCommand(id, {
      describedBy: { args: { type: 'object', properties: {} } },
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
  const look = {
    caption: trans.__(
      'Show the request as a read-only notebook; the model is not called'
    ),
    icon: replayIcon
  };
  add(ReplayCommandIDs.replay, {
    ...look,
    label: trans.__('Replay Edited Prompt'),
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
  add(REPLAY_PAIR, {
    ...look,
    label: trans.__('Replay This Request'),
    isEnabled: () => pairOf() !== null,
    execute: () => replay(pairOf()?.model.id)
  });

  const onReplay = (
    id: string,
    action: ReplayAction,
    label: string,
    caption: string,
    enabled: (panel: ReplayPanel) => boolean
  ) =>
    add(id, {
      label,
      caption,
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
  onReplay(
    ReplayCommandIDs.startChatting,
    'startChatting',
    trans.__('Start Chatting from This Replay'),
    trans.__('Go on from here in a new chat; the original stays as it is'),
    shows
  );
  onReplay(
    ReplayCommandIDs.restore,
    'restore',
    trans.__('Restore Previous Replay'),
    trans.__('Bring back the replay that was here before'),
    ({ view }) => view.canRestore
  );
  onReplay(
    ReplayCommandIDs.exportRecord,
    'exportRecord',
    trans.__('Export Replay Record…'),
    trans.__('Write the request with its proof into a notebook'),
    panel => shows(panel) && panel.key !== null
  );
  onReplay(
    ReplayCommandIDs.back,
    'back',
    trans.__('Back to Conversation'),
    trans.__('Show the chat that this replay comes from'),
    () => true
  );
  onReplay(
    ReplayCommandIDs.changes,
    'compare',
    trans.__('Show Changes of This Replay'),
    trans.__('Compare the replayed request with what it was before the edits'),
    ({ view }) => view.built?.before != null
  );
}

/** The context menu of replays: the application's lists the notebook's entries, and none can act here. */
export function replayMenu(commands: CommandRegistry): ContextMenu {
  const menu = new ContextMenu({ commands });
  const selector = '.jp-Turnbook-replayNotebook';
  [
    ReplayCommandIDs.startChatting,
    ReplayCommandIDs.back,
    ReplayCommandIDs.changes,
    ReplayCommandIDs.restore,
    ReplayCommandIDs.exportRecord
  ].forEach((command, rank) => menu.addItem({ command, selector, rank }));
  return menu;
}
