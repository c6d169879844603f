import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator, type TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import { Menu, Widget } from '@lumino/widgets';

import { goToCell } from '../goto';
import { sourceText, start } from './source';
import { menuRenderer } from '../../filter/menurenderer';
import { isAlive, type IRun } from '../../base/run';
import { activityText, RunActivity } from '../../runs/activity';
import { FACTORY, type IOpenChats } from '../openchats';
import { IChatTracker } from '../tokens';
import { ITurnbook } from '../../runs/tokens';
import { countdown } from '../cells/barrier';
import { CommandIDs } from '../../ui/commandids';
import { commandLooks } from '../../ui/commands';
import { button } from '../../ui/dom';
import { OPEN } from '../../ui/late';
import { chatPlaces, type IChatPlace } from '../titles';
import type { ChatPanel } from '../panel';

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
    const item = new ActivityItem({
      activity,
      turnbook,
      tracker,
      commands,
      trans
    });
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
        ? trans.__(
            'The Jupyter server does not respond; replies in progress continue there'
          )
        : turnbook.socket.isPolling
          ? trans.__(
              'Replies in progress and pending retries, in all chats. WebSockets are blocked, so updates arrive once a second.'
            )
          : trans.__('Replies in progress and pending retries, in all chats');
    };
    activity.changed.connect(show);
    turnbook.socket.connectedChanged.connect(show);
    show();
  }

  private async _open(): Promise<void> {
    const { activity, commands, tracker, trans, turnbook } = this._options;
    const menu = new Menu({ commands, renderer: menuRenderer });
    menu.addClass('jp-Turnbook-statusMenu');
    const runs = [...activity.alive, ...activity.waiting];
    const chats = new Set(runs.map(({ chat }) => chat));
    const places = await chatPlaces(chats, tracker, turnbook.api);
    for (const run of runs) {
      const place = places.get(run.chat) ?? null;
      menu.addItem({
        command: CommandIDs.goToPair,
        args: {
          path: place?.path ?? null,
          pair: run.pair,
          label: this._label(run, place)
        }
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
    menu.addItem({ command: CommandIDs.usage });
    menu.aboutToClose.connect(() => this._button.focus());
    const { left, top } = this._button.getBoundingClientRect();
    // A menu that does not fit below opens above.
    menu.open(left, top);
    menu.items.forEach(({ args }, index) => {
      // Lumino shows no captions.
      if (typeof args.path === 'string') {
        (menu.contentNode.children[index] as HTMLElement).title = args.path;
      }
    });
    menu.activeIndex = runs.length ? 0 : -1;
  }

  private _label(run: IRun, place: IChatPlace | null): string {
    const { turnbook, trans } = this._options;
    const where = start(
      place?.title ?? trans.__('(file is gone)'),
      LABEL_LENGTH
    );
    const what = isAlive(run)
      ? run.state === 'streaming'
        ? trans.__('streaming')
        : trans.__('waiting for the model')
      : trans.__(
          'attempt %1 %2',
          run.attempt + 1,
          countdown(run.turn.retryAt! - turnbook.socket.skew, Date.now(), trans)
        );
    const message = start(sourceText(run), LABEL_LENGTH);
    // The first message may be the title.
    const names = where === message ? [where] : [where, message];
    return [...names, what].join(' · ');
  }

  private _button: HTMLButtonElement;
  private _wasConnected = false;
}

namespace ActivityItem {
  export interface IOptions {
    activity: RunActivity;
    turnbook: ITurnbook;
    tracker: IOpenChats;
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
      const opened: ChatPanel | undefined = await commands.execute(OPEN, {
        path,
        factory: FACTORY
      });
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
