import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IToolbarWidgetRegistry } from '@jupyterlab/apputils';
import { IEditorServices } from '@jupyterlab/codeeditor';
import { IDocumentManager } from '@jupyterlab/docmanager';
import {
  INotebookWidgetFactory,
  type NotebookTracker,
  ToolbarItems,
  type NotebookWidgetFactory
} from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator } from '@jupyterlab/translation';

import { hideTrust } from '../labpatch/trustbutton';
import { IDiagrams } from '../render/diagrams';
import { ITurnbook } from '../runs/tokens';
import { ChatSettings, SETTINGS } from '../session/settings';
import { CommandIDs } from '../ui/commandids';
import { Door } from '../ui/door';
import { chatIcon } from '../ui/icons';
import { IPrelude } from './cells/prelude';
import { proseEditors } from './cells/prose';
import { titleTab } from './chattitle';
import { askAboutFile } from './composer/askfile';
import { confirmBudget, confirmMissing } from './composer/confirm';
import { IReferenceProviders } from './composer/references/providers';
import { ChatWidgetFactory } from './factory';
import { NameAnswers, NameOffer } from './nameoffer';
import { FilterTool } from './notebook/filtertool';
import {
  ChatContentFactory,
  EDITOR_CONFIG,
  NOTEBOOK_CONFIG
} from './notebook/notebook';
import { FACTORY } from './openchats';
import type { ChatPanel } from './panel';
import { IChatTracker } from './tokens';
import { addTools } from './tools';
import { warmUp } from './warmup';

/** Shows chats. */
export const viewPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:view',
  description: 'The view of a chat: its filter, its cells and its composer.',
  autoStart: true,
  requires: [
    IChatTracker,
    ITurnbook,
    IPrelude,
    IReferenceProviders,
    IDocumentManager,
    IEditorServices,
    INotebookWidgetFactory,
    IRenderMimeRegistry,
    ITranslator
  ],
  optional: [ISettingRegistry, IToolbarWidgetRegistry, IDiagrams],
  activate: (
    app: JupyterFrontEnd,
    chats: IChatTracker,
    turnbook: ITurnbook,
    prelude: IPrelude,
    references: IReferenceProviders,
    documents: IDocumentManager,
    editors: IEditorServices,
    notebookFactory: NotebookWidgetFactory.IFactory,
    rendermime: IRenderMimeRegistry,
    translator: ITranslator,
    settings: ISettingRegistry | null,
    toolbars: IToolbarWidgetRegistry | null,
    diagrams: IDiagrams | null
  ): void => {
    const trans = translator.load('jupyterlab_turnbook');
    const door = Door.of(app.docRegistry, FACTORY);
    if (toolbars) {
      toolbars.addFactory<ChatPanel>(FACTORY, 'save', panel =>
        ToolbarItems.createSaveButton(panel, translator)
      );
      toolbars.addFactory<ChatPanel>(
        FACTORY,
        'filter',
        panel =>
          new FilterTool({
            bar: panel.filterBar,
            counter: panel.counter.node,
            trans,
            onLeave: () => panel.enterView()
          })
      );
      addTools(toolbars, app.commands, trans);
    }

    const chatSettings = new ChatSettings();
    if (settings) {
      chatSettings.load(settings.load(SETTINGS));
    }

    const factory = new ChatWidgetFactory({
      name: FACTORY,
      label: FACTORY,
      fileTypes: [],
      modelName: 'notebook',
      preferKernel: false,
      canStartKernel: false,
      rendermime,
      contentFactory: new ChatContentFactory({
        editorFactory: proseEditors(editors.factoryService.newInlineEditor)
      }),
      editorConfig: EDITOR_CONFIG,
      notebookConfig: NOTEBOOK_CONFIG,
      mimeTypeService: editors.mimeTypeService,
      toolbarFactory: door.toolbar,
      translator,
      turnbook,
      notebookFactory,
      settings: chatSettings,
      prelude,
      references,
      ask: (asks, local) => askAboutFile(asks, local, trans),
      confirm: budget => confirmBudget(budget, chatSettings, trans),
      askSeveral: () => void app.commands.execute(CommandIDs.askSeveral),
      confirmMissing: names => confirmMissing(names, trans),
      openRequest: () =>
        void app.commands.execute(CommandIDs.openRequest, {
          pair: 'live'
        }),
      documents,
      diagrams
    });

    const { catalog } = turnbook;
    const askModels = () => {
      if (catalog.list === null && !catalog.isRefreshing) {
        void catalog.refresh();
      }
    };

    const answers = new NameAnswers(window.localStorage);
    const tracker = chats as unknown as NotebookTracker;
    factory.widgetCreated.connect((_, panel) => {
      hideTrust();
      panel.title.icon = chatIcon;
      const chat = panel as ChatPanel;
      titleTab(chat, chatSettings, trans);
      new NameOffer({ panel: chat, answers, trans });
      panel.context.pathChanged.connect(() => void tracker.save(panel));
      void tracker.add(panel);
      askModels();
    });
    door.open(factory);
    // Before that, the page has enough to do.
    void app.restored.then(() => {
      askModels();
      warmUp(editors.factoryService, rendermime);
    });
  }
};
