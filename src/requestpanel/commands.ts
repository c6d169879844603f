import type { ILabShell, JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';

import { activePair } from '../chat/pairactions';
import type { ChatPanel } from '../chat/panel';
import type { IOpenChats } from '../chat/openchats';
import { CommandIDs, commandLooks, type CommandID } from '../ui/commands';
import type { RequestPanel } from './requestpanel';
import type { IReplays } from './slots';

export interface IRequestCommands {
  app: JupyterFrontEnd;
  tracker: IOpenChats;
  panel: RequestPanel;
  palette: ICommandPalette | null;
  replays: IReplays | null;
  trans: TranslationBundle;
  /** Whether editing requests is enabled. */
  isOn(): boolean;
}

/** Add the commands of the Request panel; all are hidden while editing requests is disabled. */
export function addRequestCommands(options: IRequestCommands): void {
  const { app, tracker, panel, palette, replays, trans, isOn } = options;
  const { commands, shell } = app;
  const looks = commandLooks(trans);
  const chatOf = (): ChatPanel | null => tracker.currentWidget;

  const add = (
    id: CommandID,
    run: (chat: ChatPanel, args: Record<string, unknown>) => unknown,
    enabled: (chat: ChatPanel) => boolean = () => true,
    more: Partial<CommandRegistry.ICommandOptions> = {}
  ): void => {
    commands.addCommand(id, {
      execute: args => {
        const chat = chatOf();
        return chat && isOn() ? run(chat, args) : undefined;
      },
      isEnabled: () => {
        const chat = chatOf();
        return chat !== null && isOn() && enabled(chat);
      },
      isVisible: isOn,
      describedBy: { args: { type: 'object', properties: {} } },
      ...looks[id],
      ...more
    });
    palette?.addItem({ command: id, category: trans.__('Turnbook') });
  };

  add(
    CommandIDs.openRequest,
    (chat, { pair }) => {
      if (typeof pair === 'string') {
        chat.session.requests.target = pair;
      }
      shell.activateById(panel.id);
    },
    () => true,
    {
      describedBy: {
        args: {
          type: 'object',
          properties: {
            pair: {
              type: 'string',
              description: trans.__(
                'The pair whose request is shown; without it, the one that was shown last'
              )
            }
          }
        }
      }
    }
  );
  add(CommandIDs.toggleRequest, chat => {
    if (panel.isVisible && 'collapseRight' in shell) {
      (shell as ILabShell).collapseRight();
      shell.activateById(chat.id);
    } else {
      shell.activateById(panel.id);
    }
  });
  add(
    CommandIDs.editRequest,
    chat => {
      chat.session.requests.target = activePair(chat)!.model.id;
      shell.activateById(panel.id);
    },
    chat => activePair(chat) !== null
  );
  add(
    CommandIDs.apply,
    () => panel.applySnapshot(),
    () => panel.canApply
  );
  add(
    CommandIDs.applyAndReplay,
    () => panel.applyAndReplay(),
    () => panel.canApply && (replays?.enabled ?? false),
    { isVisible: () => isOn() && (replays?.enabled ?? false) }
  );
  add(
    CommandIDs.togglePause,
    ({
      session: {
        modes: { pause }
      }
    }) => {
      pause.mode = pause.mode === 'always' ? 'off' : 'always';
    },
    () => true,
    { isToggled: () => chatOf()?.session.modes.pause.mode === 'always' }
  );
  add(
    CommandIDs.pauseNext,
    ({ session }) => session.modes.pause.next(),
    ({ session }) => session.modes.pause.mode === 'off'
  );
  add(
    CommandIDs.resume,
    ({ session }) => session.resumeSend(),
    ({ session }) =>
      session.modes.pause.held !== null && session.obstacle === null
  );
  add(
    CommandIDs.cancel,
    ({ session }) => session.review.cancel(),
    ({ session }) => session.modes.pause.held !== null
  );
  add(
    CommandIDs.toggleAutoApply,
    ({
      session: {
        modes: { rules }
      }
    }) => {
      rules.on = !rules.on;
    },
    () => true,
    { isToggled: () => chatOf()?.session.modes.rules.on ?? false }
  );
}
