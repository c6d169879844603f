import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';

import { activePair } from '../chat/pairactions';
import type { ChatPanel } from '../chat/panel';
import { requestIcon } from '../ui/icons';
import type { IChatTracker } from '../chat/tokens';
import { RequestCommandIDs } from '../ui/commandids';
import type { RequestPanel } from './requestpanel';
import type { IReplays } from './slots';

/** What the commands need. */
export interface IRequestCommands {
  app: JupyterFrontEnd;
  tracker: IChatTracker;
  panel: RequestPanel;
  palette: ICommandPalette | null;
  replays: IReplays | null;
  trans: TranslationBundle;
  /** Whether requests can be edited at all. */
  isOn(): boolean;
}

/** Add the commands of the Request panel; all are hidden while requests cannot be edited. */
export function addRequestCommands(options: IRequestCommands): void {
  const { app, tracker, panel, palette, replays, trans, isOn } = options;
  const { commands, shell } = app;
  const chatOf = (): ChatPanel | null => tracker.currentWidget;

  const add = (
    id: string,
    run: (chat: ChatPanel, args: Record<string, unknown>) => unknown,
    look: Partial<CommandRegistry.ICommandOptions>,
    enabled: (chat: ChatPanel) => boolean = () => true
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
      ...look
    });
    palette?.addItem({ command: id, category: trans.__('Turnbook') });
  };

  add(
    RequestCommandIDs.open,
    (chat, { pair }) => {
      if (typeof pair === 'string') {
        chat.session.requests.target = pair;
      }
      shell.activateById(panel.id);
    },
    {
      label: trans.__('Open Request Editor'),
      caption: trans.__('See and edit the request before it leaves'),
      icon: requestIcon,
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
  add(
    RequestCommandIDs.openPair,
    chat => {
      chat.session.requests.target = activePair(chat)!.model.id;
      shell.activateById(panel.id);
    },
    {
      label: trans.__('Edit Request'),
      caption: trans.__('See and edit the request of this pair'),
      icon: requestIcon
    },
    chat => activePair(chat) !== null
  );
  add(
    RequestCommandIDs.apply,
    () => panel.applySnapshot(),
    {
      label: trans.__('Apply Session Snapshot to Prompt'),
      caption: trans.__('Make the sections say what the snapshot says')
    },
    () => panel.canApply
  );
  add(
    RequestCommandIDs.applyAndReplay,
    () => panel.applyAndReplay(),
    {
      label: trans.__('Apply Session Snapshot and Replay'),
      isVisible: () => isOn() && (replays?.enabled ?? false)
    },
    () => panel.canApply && (replays?.enabled ?? false)
  );
  add(
    RequestCommandIDs.togglePause,
    ({ session: { pause } }) => {
      pause.mode = pause.mode === 'always' ? 'off' : 'always';
    },
    {
      label: trans.__('Pause & Review'),
      caption: trans.__('Every send waits for you before it leaves'),
      isToggled: () => chatOf()?.session.pause.mode === 'always'
    }
  );
  add(
    RequestCommandIDs.pauseNext,
    ({ session }) => session.pause.next(),
    {
      label: trans.__('Pause Next Send Only'),
      caption: trans.__('The next send waits for you, later ones do not')
    },
    ({ session }) => session.pause.mode === 'off'
  );
  add(
    RequestCommandIDs.resume,
    ({ session }) => session.resumeSend(),
    {
      label: trans.__('Resume Send'),
      caption: trans.__('Send exactly the request that the panel shows')
    },
    ({ session }) => session.pause.held !== null && session.obstacle === null
  );
  add(
    RequestCommandIDs.cancel,
    ({ session }) => session.cancelSend(),
    {
      label: trans.__('Cancel Send'),
      caption: trans.__('Take the paused message back; nothing is sent')
    },
    ({ session }) => session.pause.held !== null
  );
  add(
    RequestCommandIDs.toggleAutoApply,
    ({ session: { rules } }) => {
      rules.on = !rules.on;
    },
    {
      label: trans.__('Auto-Apply'),
      caption: trans.__(
        'Edits of system and context sections are applied to later sends too'
      ),
      isToggled: () => chatOf()?.session.rules.on ?? false
    }
  );
}
