import {
  ILabShell,
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator } from '@jupyterlab/translation';

import { ChatSettings, SETTINGS } from '../session/settings';
import { refreshCommands } from '../ui/refresh';
import { currentChat } from '../chat/currentchat';
import type { IOpenChats } from '../chat/openchats';
import { IChatTracker } from '../chat/tokens';
import { ITurnbook } from '../runs/tokens';
import { isEditor } from '../request/pause';
import { splitModel } from '../request/render';
import { CommandIDs } from '../ui/commandids';
import { addRequestCommands } from './commands';
import { RequestPanel } from './requestpanel';
import { goToCell } from '../chat/goto';
import { IReplays } from './slots';
import { ModesModel, ModesStatus } from './status';

/** Shows and edits requests. */
export const requestPanelPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:request-panel',
  description:
    'The Request panel in the right sidebar: reads, edits, pauses and proves requests.',
  autoStart: true,
  requires: [IChatTracker, ITurnbook, ITranslator],
  optional: [
    ILabShell,
    ILayoutRestorer,
    ICommandPalette,
    ISettingRegistry,
    IStatusBar,
    IReplays
  ],
  activate: (
    app: JupyterFrontEnd,
    tracker: IOpenChats,
    turnbook: ITurnbook,
    translator: ITranslator,
    labShell: ILabShell | null,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    registry: ISettingRegistry | null,
    statusBar: IStatusBar | null,
    replays: IReplays | null
  ): void => {
    const trans = translator.load('jupyterlab_turnbook');
    const settings = new ChatSettings();
    if (registry) {
      settings.load(registry.load(SETTINGS));
    }
    const isOn = () => settings.current['requestEditor.enabled'];
    const panel = new RequestPanel({
      tracker,
      trans,
      services: {
        api: turnbook.api,
        replays,
        models: chat => {
          const { provider } = splitModel(chat.session.model);
          const models = turnbook.catalog.list?.models ?? [];
          return models
            .map(({ id }) => splitModel(id))
            .filter(model => model.provider === provider)
            .map(({ model }) => model);
        }
      }
    });
    addRequestCommands({ app, tracker, panel, palette, replays, trans, isOn });
    restorer?.add(panel, panel.id);

    const place = () => {
      if (isOn() && !panel.isAttached) {
        app.shell.add(panel, 'right', { rank: 900, type: 'Turnbook' });
      } else if (!isOn() && panel.isAttached) {
        panel.parent = null;
      }
      refreshCommands(app.commands);
    };
    settings.changed.connect(place);
    place();

    tracker.widgetAdded.connect((_, chat) => {
      const { session } = chat;
      const refresh = () => refreshCommands(app.commands);
      session.modes.pause.changed.connect(refresh);
      session.modes.rules.changed.connect(refresh);
      session.review.held.connect(() => {
        if (isOn()) {
          app.shell.activateById(panel.id);
          panel.focusBanner();
        }
      });
      session.review.canceled.connect((_, held) => {
        app.shell.activateById(chat.id);
        if (held.resend) {
          goToCell(chat, held.pair);
        }
        if (isEditor(held)) {
          void app.commands.execute(CommandIDs.editAndResend);
        } else if (!held.resend) {
          chat.enterInput();
        }
      });
    });

    if (statusBar) {
      const model = new ModesModel(tracker);
      statusBar.registerStatusItem('jupyterlab-turnbook:modes', {
        item: new ModesStatus(model, trans, () => {
          void app.commands.execute(CommandIDs.openRequest);
        }),
        align: 'left',
        rank: 100,
        isActive: () => isOn() && currentChat(app.shell, tracker) !== null,
        activeStateChanged: model.stateChanged
      });
      labShell?.currentChanged.connect(() => model.stateChanged.emit());
    }
  }
};
