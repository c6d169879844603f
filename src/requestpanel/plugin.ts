import {
  ILabShell,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator } from '@jupyterlab/translation';

import { refreshCommands } from '../ui/refresh';
import { currentChat } from '../chat/currentchat';
import type { IOpenChats } from '../chat/openchats';
import { IChatTracker } from '../chat/tokens';
import { ITurnbook } from '../runs/tokens';
import { isEditor } from '../request/pause';
import { splitModel } from '../request/render';
import { CommandIDs } from '../ui/commandids';
import { addRequestCommands } from './commands';
import { applyBuffer } from './applybuffer';
import { PanelView } from './panelview';
import { goToCell } from '../chat/goto';
import { IReplays } from './slots';
import { IRequestPanel } from './start';
import { ModesModel, ModesStatus } from './status';

/** Shows and edits requests. */
export const requestPanelPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:request-panel',
  description:
    'The Request panel in the right sidebar: reads, edits, pauses and proves requests.',
  autoStart: true,
  requires: [IChatTracker, ITurnbook, ITranslator, IRequestPanel],
  optional: [ILabShell, ICommandPalette, IStatusBar, IReplays],
  activate: (
    app: JupyterFrontEnd,
    tracker: IOpenChats,
    turnbook: ITurnbook,
    translator: ITranslator,
    { panel, isOn }: IRequestPanel,
    labShell: ILabShell | null,
    palette: ICommandPalette | null,
    statusBar: IStatusBar | null,
    replays: IReplays | null
  ): void => {
    const trans = translator.load('jupyterlab_turnbook');
    panel.fill({
      PanelView,
      applyBuffer,
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
