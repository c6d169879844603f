import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  createToolbarFactory,
  IToolbarWidgetRegistry
} from '@jupyterlab/apputils';
import { IEditorServices } from '@jupyterlab/codeeditor';
import { IDocumentManager } from '@jupyterlab/docmanager';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import {
  INotebookWidgetFactory,
  NotebookTracker,
  ToolbarItems,
  type NotebookWidgetFactory
} from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator } from '@jupyterlab/translation';

import { IDiagrams } from '../render/diagrams';
import { CommandIDs } from '../ui/commandids';
import { CHAT_EXTENSION, CHAT_PATTERN } from '../document/chatfile';
import { hideTrust } from '../labpatch/trustbutton';
import { chatIcon } from '../ui/icons';
import type { IOpenChats } from './openchats';
import { addTools } from './tools';
import { IChatTracker } from './tokens';
import { ITurnbook } from '../runs/tokens';
import { askAboutFile } from './composer/askfile';
import { confirmBudget, confirmMissing } from './composer/confirm';
import { ChatWidgetFactory, FACTORY } from './factory';
import {
  IReferenceProviders,
  ReferenceProviders
} from './composer/references/providers';
import { FilterTool } from './notebook/filtertool';
import {
  ChatContentFactory,
  EDITOR_CONFIG,
  NOTEBOOK_CONFIG
} from './notebook/notebook';
import type { ChatPanel } from './panel';
import { IPrelude, PreludeRegistry } from './cells/prelude';
import { titleTab } from './chattitle';
import { NameAnswers, NameOffer } from './nameoffer';
import { ChatSettings, SETTINGS } from '../session/settings';
import { proseEditors } from './cells/prose';

/** The file type of chats. */
export const FILE_TYPE = 'turnbook-chat';

/** Lets other plugins add system messages. */
export const preludePlugin: JupyterFrontEndPlugin<IPrelude> = {
  id: 'jupyterlab-turnbook:prelude',
  description: 'Lets plugins add system messages to chats, each shown there.',
  autoStart: true,
  provides: IPrelude,
  activate: () => new PreludeRegistry()
};

/** Lets plugins add to what `@` in the composer offers. */
export const referencesPlugin: JupyterFrontEndPlugin<IReferenceProviders> = {
  id: 'jupyterlab-turnbook:references',
  description: 'Lets plugins add to what `@` in the composer of a chat offers.',
  autoStart: true,
  provides: IReferenceProviders,
  activate: () => new ReferenceProviders()
};

/** Opens chats. */
export const chatPlugin: JupyterFrontEndPlugin<IChatTracker> = {
  id: SETTINGS,
  description: 'Opens chat notebooks in the chat view and keeps track of them.',
  autoStart: true,
  requires: [
    ITurnbook,
    IPrelude,
    IReferenceProviders,
    IDocumentManager,
    IEditorServices,
    INotebookWidgetFactory,
    IRenderMimeRegistry,
    ITranslator
  ],
  optional: [
    ILayoutRestorer,
    ISettingRegistry,
    IToolbarWidgetRegistry,
    IDiagrams
  ],
  provides: IChatTracker,
  activate: (
    app: JupyterFrontEnd,
    turnbook: ITurnbook,
    prelude: IPrelude,
    references: IReferenceProviders,
    documents: IDocumentManager,
    editors: IEditorServices,
    notebookFactory: NotebookWidgetFactory.IFactory,
    rendermime: IRenderMimeRegistry,
    translator: ITranslator,
    restorer: ILayoutRestorer | null,
    settings: ISettingRegistry | null,
    toolbars: IToolbarWidgetRegistry | null,
    diagrams: IDiagrams | null
  ): IOpenChats => {
    const { docRegistry } = app;
    const trans = translator.load('jupyterlab_turnbook');
    docRegistry.addFileType({
      name: FILE_TYPE,
      displayName: trans.__('Chat'),
      extensions: [CHAT_EXTENSION],
      pattern: CHAT_PATTERN,
      contentType: 'notebook',
      fileFormat: 'json',
      mimeTypes: ['application/x-ipynb+json'],
      icon: chatIcon
    });

    let toolbarFactory: DocumentRegistry.IWidgetFactoryOptions['toolbarFactory'];
    if (settings && toolbars) {
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
      toolbarFactory = createToolbarFactory(
        toolbars,
        settings,
        FACTORY,
        SETTINGS,
        translator
      );
    }

    const chatSettings = new ChatSettings();
    if (settings) {
      chatSettings.load(settings.load(SETTINGS));
    }

    const factory = new ChatWidgetFactory({
      name: FACTORY,
      label: FACTORY,
      fileTypes: [FILE_TYPE, 'notebook'],
      defaultFor: [FILE_TYPE],
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
      toolbarFactory,
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
    docRegistry.addWidgetFactory(factory);

    const answers = new NameAnswers(window.localStorage);
    const tracker = new NotebookTracker({ namespace: 'turnbook' });
    factory.widgetCreated.connect((_, panel) => {
      hideTrust();
      panel.title.icon = chatIcon;
      const chat = panel as ChatPanel;
      titleTab(chat, chatSettings, trans);
      new NameOffer({ panel: chat, answers, trans });
      panel.context.pathChanged.connect(() => void tracker.save(panel));
      void tracker.add(panel);
      if (turnbook.catalog.list === null) {
        void turnbook.catalog.refresh();
      }
    });
    if (restorer) {
      void restorer.restore(tracker, {
        command: 'docmanager:open',
        args: panel => ({ path: panel.context.path, factory: FACTORY }),
        name: panel => panel.context.path
      });
    }
    return tracker as unknown as IOpenChats;
  }
};
