import {
  ILabShell,
  IRouter,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IEditorServices } from '@jupyterlab/codeeditor';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator } from '@jupyterlab/translation';

import { SETTINGS } from '../session/settings';
import { EDITOR_CONFIG, NOTEBOOK_CONFIG } from '../chat/notebook/notebook';
import { hideTrust } from '../labpatch/trustbutton';
import { CommandIDs } from '../ui/commandids';
import { Door } from '../ui/door';
import { refreshCommands } from '../ui/refresh';
import { IReplays } from '../requestpanel/slots';
import type { IOpenChats } from '../chat/openchats';
import { IDiagrams } from '../render/diagrams';
import { chatPlaces } from '../chat/titles';
import { IChatTracker } from '../chat/tokens';
import { ITurnbook } from '../runs/tokens';
import { keepAddress } from './model/address';
import { chatTurns } from './model/chatsource';
import { addReplayCommands, replayMenu } from './commands';
import { ReplayDrive } from './model/drive';
import { REPLAY_FACTORY } from './model/names';
import { IReplayPanels } from './start';
import { ReplayWidgetFactory } from './view/factory';
import { watchFork } from './view/forkbar';
import { Handover } from './model/handover';
import { ReplayManager } from './model/manager';
import { ReplayContentFactory } from './view/notebook';
import type { ReplayPanel } from './view/panel';
import { REPLAY_MODEL } from './view/readonly';
import { Replays } from './view/replays';
import { ReplaySettings } from './model/settings';
import { BrowserStore } from './model/store';
import { watchChat, watchFiles } from './model/watch';
import { proseEditors } from '../chat/cells/prose';

/** Replays requests. */
export const replayPlugin: JupyterFrontEndPlugin<IReplays> = {
  id: 'jupyterlab-turnbook:replay',
  description:
    'Shows requests as read-only notebooks, goes on from them in new chats, and exports records of them.',
  autoStart: true,
  requires: [
    IChatTracker,
    ITurnbook,
    IDocumentManager,
    IEditorServices,
    IRenderMimeRegistry,
    ITranslator,
    IReplayPanels
  ],
  optional: [ISettingRegistry, ICommandPalette, ILabShell, IRouter, IDiagrams],
  provides: IReplays,
  activate: (
    app: JupyterFrontEnd,
    tracker: IOpenChats,
    turnbook: ITurnbook,
    documents: IDocumentManager,
    editors: IEditorServices,
    rendermime: IRenderMimeRegistry,
    translator: ITranslator,
    panels: IReplayPanels,
    registry: ISettingRegistry | null,
    palette: ICommandPalette | null,
    labShell: ILabShell | null,
    router: IRouter | null,
    diagrams: IDiagrams | null
  ): IReplays => {
    const trans = translator.load('jupyterlab_turnbook');
    const { contents } = app.serviceManager;
    contents.addDrive(new ReplayDrive());
    if (labShell && router) {
      keepAddress(labShell, router);
    }

    const settings = new ReplaySettings();
    const store = new BrowserStore();
    const manager = new ReplayManager({
      store,
      turns: chatTurns(tracker),
      emit: (name, data) => {
        turnbook.api.emitEvent(name, data).catch(error => {
          // Nothing depends on it, and there may be no server.
          console.warn(`Turnbook: the event ${name} was not taken`, error);
        });
      }
    });
    registry?.load(SETTINGS).then(
      async loaded => {
        const keep = () => {
          if (store.enabled !== settings.persist) {
            store.enabled = settings.persist;
          }
        };
        settings.changed.connect(keep);
        settings.follow(loaded);
        if (!settings.persist) {
          store.enabled = false;
        }
        await manager.recall();
      },
      error => console.error('Turnbook: the settings cannot be read', error)
    );

    // Without JupyterLab's shell, a replay is shown by another page than the one that built it.
    const handover = labShell ? null : new Handover(manager);
    addFactory();
    watchFiles(contents, manager);
    const replays = new Replays({
      app,
      api: turnbook.api,
      tracker,
      documents,
      manager,
      settings,
      trans
    });
    addReplayCommands({ app, tracker, replays, palette, trans });
    tracker.widgetAdded.connect((_, chat) => {
      void chat.session.ready.then(() => {
        if (!chat.isDisposed) {
          watchChat(
            chat,
            manager,
            id =>
              tracker.find(
                other =>
                  other !== chat &&
                  !other.isDisposed &&
                  other.session.info?.chatId === id
              ) !== undefined
          );
          watchFork(chat, {
            trans,
            back: lineage => void replays.backFrom(chat, lineage),
            compare: path =>
              void app.commands.execute(CommandIDs.compare, {
                items: [{ path }, { path: chat.context.path }]
              }),
            find: async id => {
              const places = await chatPlaces([id], tracker, turnbook.api);
              return places.get(id) ?? null;
            },
            onLock: () => refreshCommands(app.commands)
          });
        }
      });
    });
    replays.changed.connect(() => refreshCommands(app.commands));
    return replays;

    function addFactory(): void {
      const { docRegistry } = app;
      const factory = new ReplayWidgetFactory({
        name: REPLAY_FACTORY,
        label: REPLAY_FACTORY,
        fileTypes: [],
        modelName: REPLAY_MODEL,
        readOnly: true,
        preferKernel: false,
        canStartKernel: false,
        rendermime,
        contentFactory: new ReplayContentFactory({
          editorFactory: proseEditors(editors.factoryService.newInlineEditor)
        }),
        editorConfig: EDITOR_CONFIG,
        notebookConfig: NOTEBOOK_CONFIG,
        mimeTypeService: editors.mimeTypeService,
        toolbarFactory: () => [],
        translator,
        manager,
        cap: () => settings.cap,
        canEdit: () => settings.canEdit,
        trans,
        diagrams
      });
      Door.of(docRegistry, REPLAY_FACTORY).open(factory);
      settings.changed.connect(() => panels.forEach(panel => panel.refresh()));
      const menu = replayMenu(app.commands);
      factory.widgetCreated.connect((_, widget) => {
        const panel = widget as ReplayPanel;
        void panels.add(panel);
        hideTrust();
        if (panel.key !== null) {
          handover?.ask(panel.key);
        }
        panel.requested.connect((_, action) => void replays.act(panel, action));
        panel.chosen.connect((_, key) => void replays.open(key, panel.id));
        panel.viewChanged.connect(() => refreshCommands(app.commands));
        panel.content.node.addEventListener('contextmenu', event => {
          if (!event.shiftKey && menu.open(event)) {
            event.preventDefault();
            event.stopPropagation();
          }
        });
      });
    }
  }
};
