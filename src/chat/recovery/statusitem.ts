import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { PathExt } from '@jupyterlab/coreutils';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator, type TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import { Menu, Widget } from '@lumino/widgets';

import { goToCell } from '../goto';
import { sourceText, start } from './source';
import { isAlive, type IRun } from '../../base/run';
import { activityText, RunActivity } from '../../runs/activity';
import type { IOpenChats } from '../openchats';
import { IChatTracker } from '../tokens';
import { ITurnbook } from '../../runs/tokens';
import { countdown } from '../cells/barrier';
import { CommandIDs, commandLooks } from '../../ui/commands';
import { button } from '../../ui/dom';
import { FACTORY } from '../factory';
import type { ChatPanel } from '../panel';
import { errorMessage } from '../../base/errors';

const LABEL_LENGTH = 40;

/** Shows the activity of all chats in the status bar. */
export const statusPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:status',
  description:
    'Shows in the status bar which replies are under way or waiting, in all chats.',
  autoStart: true,
  requires: [ITurnbook, IChatTracker, ITranslator],
  optional: [IStatusBar],
  activate: (
    app: JupyterFrontEnd,
    turnbook: ITurnbook,
    tracker: IOpenChats,
    translator: ITranslator,
    statusBar: IStatusBar | null
  ): void => {
    const trans = translator.load('jupyterlab_turnbook');
    const { commands } = app;
    addGoToPair(commands, tracker, trans);
    if (!statusBar) {
      return;
    }
    const activity = new RunActivity(turnbook.socket);
    const item = new ActivityItem({ activity, turnbook, commands, trans });
    statusBar.registerStatusItem('jupyterlab-turnbook:status', {
      item,
      align: 'left',
      rank: 50
    });
  }
};

/** The activity of all chats; a click lists it. */
class ActivityItem extends Widget {
  constructor(private _options: ActivityItem.IOptions) {
    super();
    this.addClass('jp-Turnbook-status');
    const { activity, turnbook, trans } = _options;
    this._button = button('', 'jp-Turnbook-status-button', () => {
      void this._open();
    });
    this._button.setAttribute('aria-haspopup', 'menu');
    this.node.append(this._button);
    const show = () => {
      const { alive, waiting } = activity;
      const text = activityText(alive.length, waiting.length);
      const offline = this._wasConnected && !turnbook.socket.connected;
      this._wasConnected ||= turnbook.socket.connected;
      this._button.textContent = offline
        ? trans.__('Turnbook: no connection')
        : trans.__('Turnbook: %1', text);
      this._button.title = offline
        ? trans.__('The Jupyter server does not answer; runs go on without it')
        : turnbook.socket.isPolling
          ? trans.__(
              'Replies in progress and pending retries, in all chats. No WebSocket gets through, so updates come once a second.'
            )
          : trans.__('Replies in progress and pending retries, in all chats');
    };
    activity.changed.connect(show);
    turnbook.socket.connectedChanged.connect(show);
    show();
  }

  private async _open(): Promise<void> {
    const { activity, commands, trans } = this._options;
    const menu = new Menu({ commands });
    menu.addClass('jp-Turnbook-statusMenu');
    const runs = [...activity.alive, ...activity.waiting];
    const paths = runs.length ? await this._paths() : new Map();
    for (const run of runs) {
      const path = paths.get(run.chat) ?? null;
      menu.addItem({
        command: CommandIDs.goToPair,
        args: { path, pair: run.pair, label: this._label(run, path) }
      });
    }
    if (!runs.length) {
      const label = trans.__('No replies in progress and no pending retries');
      menu.addItem({
        command: CommandIDs.goToPair,
        args: { label, isNothing: true }
      });
    }
    menu.addItem({ type: 'separator' });
    menu.addItem({ command: CommandIDs.recoveredReplies });
    menu.aboutToClose.connect(() => this._button.focus());
    const { left, top } = this._button.getBoundingClientRect();
    // A menu that does not fit below opens above.
    menu.open(left, top);
    menu.activeIndex = runs.length ? 0 : -1;
  }

  /** The paths of chats; those whose file is gone are left out. */
  private async _paths(): Promise<Map<string, string>> {
    try {
      const chats = await this._options.turnbook.api.listChats();
      return new Map(
        chats.flatMap(({ chatId, path, exists }) =>
          exists && path !== null ? [[chatId, path] as const] : []
        )
      );
    } catch (error) {
      console.warn(
        `Turnbook: the chats cannot be listed: ${errorMessage(error)}`
      );
      return new Map();
    }
  }

  private _label(run: IRun, path: string | null): string {
    const { turnbook, trans } = this._options;
    const where = path
      ? PathExt.basename(path).replace(/\.chat\.ipynb$/, '')
      : trans.__('(file is gone)');
    const what = isAlive(run)
      ? run.state === 'streaming'
        ? trans.__('streaming')
        : trans.__('waiting for the model')
      : trans.__(
          'attempt %1 %2',
          run.attempt + 1,
          countdown(run.turn.retryAt! - turnbook.socket.skew, Date.now(), trans)
        );
    return `${where} · ${start(sourceText(run), LABEL_LENGTH)} · ${what}`;
  }

  private _button: HTMLButtonElement;
  private _wasConnected = false;
}

namespace ActivityItem {
  export interface IOptions {
    activity: RunActivity;
    turnbook: ITurnbook;
    commands: CommandRegistry;
    trans: TranslationBundle;
  }
}

function addGoToPair(
  commands: CommandRegistry,
  tracker: IOpenChats,
  trans: TranslationBundle
): void {
  const { label } = commandLooks(trans)[CommandIDs.goToPair];
  commands.addCommand(CommandIDs.goToPair, {
    label: args => (args.label as string | undefined) ?? label,
    isEnabled: args => !args.isNothing,
    describedBy: {
      args: {
        type: 'object',
        properties: {
          path: {
            type: ['string', 'null'],
            description: trans.__('The chat file; null if it is gone')
          },
          pair: { type: 'string', description: trans.__('The cell’s id') },
          label: { type: 'string' },
          isNothing: { type: 'boolean' }
        }
      }
    },
    execute: async args => {
      const path = args.path as string | null;
      if (!path) {
        return commands.execute(CommandIDs.recoveredReplies);
      }
      const opened: ChatPanel | undefined = await commands.execute(
        'docmanager:open',
        { path, factory: FACTORY }
      );
      const panel = tracker.find(chat => chat.context.localPath === path);
      await (panel ?? opened)?.revealed;
      if (panel && typeof args.pair === 'string') {
        await panel.session.ready;
        goTo(panel, args.pair);
      }
    }
  });
}

/** Go to a pair; clear a filter that hides it. */
function goTo(panel: ChatPanel, pair: string): void {
  const cell = panel.content.widgets.find(({ model }) => model.id === pair);
  if (cell?.isHidden) {
    panel.filterBar.apply('');
  }
  goToCell(panel, pair);
}
