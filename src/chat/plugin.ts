import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  createToolbarFactory,
  IToolbarWidgetRegistry
} from '@jupyterlab/apputils';
import { IDocumentManager } from '@jupyterlab/docmanager';
import {
  INotebookWidgetFactory,
  NotebookTracker,
  type NotebookWidgetFactory
} from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator } from '@jupyterlab/translation';

import { CHAT_EXTENSION, CHAT_PATTERN } from '../document/chatfile';
import { SETTINGS } from '../session/settings';
import { CommandIDs } from '../ui/commandids';
import { commandLooks } from '../ui/commands';
import { Door } from '../ui/door';
import { chatIcon } from '../ui/icons';
import { ILate, OPEN } from '../ui/late';
import { quickReading } from './chatreader';
import { IPrelude, PreludeRegistry } from './cells/prelude';
import {
  IReferenceProviders,
  ReferenceProviders
} from './composer/references/providers';
import { FACTORY, type IOpenChats } from './openchats';
import { IChatTracker } from './tokens';

/** The file type of chats. */
const FILE_TYPE = 'turnbook-chat';

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
  requires: [ILate, IDocumentManager, INotebookWidgetFactory, ITranslator],
  optional: [ILayoutRestorer, ISettingRegistry, IToolbarWidgetRegistry],
  provides: IChatTracker,
  activate: (
    app: JupyterFrontEnd,
    late: ILate,
    documents: IDocumentManager,
    notebookFactory: NotebookWidgetFactory.IFactory,
    translator: ITranslator,
    restorer: ILayoutRestorer | null,
    settings: ISettingRegistry | null,
    toolbars: IToolbarWidgetRegistry | null
  ): IOpenChats => {
    const { docRegistry, shell } = app;
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
    docRegistry.addWidgetFactory(
      new Door({
        name: FACTORY,
        label: FACTORY,
        fileTypes: [FILE_TYPE, 'notebook'],
        defaultFor: [FILE_TYPE],
        modelName: 'notebook',
        preferKernel: false,
        canStartKernel: false,
        contentProvider: () => notebookFactory.contentProviderId,
        opening: quickReading(app.serviceManager.contents),
        isCurrent: widget => shell.currentWidget === widget,
        documents,
        late,
        // The settings cannot be read before this completes them.
        ...(settings && toolbars
          ? {
              toolbar: createToolbarFactory(
                toolbars,
                settings,
                FACTORY,
                SETTINGS,
                translator
              )
            }
          : {}),
        trans
      })
    );

    const tracker = new NotebookTracker({ namespace: 'turnbook' });
    if (restorer) {
      void restorer.restore(tracker, {
        command: OPEN,
        args: panel => ({ path: panel.context.path, factory: FACTORY }),
        name: panel => panel.context.path
      });
    }
    // These need no open chat.
    const looks = commandLooks(trans);
    for (const id of [
      CommandIDs.recoveredReplies,
      CommandIDs.manageProviders,
      CommandIDs.localModels
    ]) {
      late.addCommand(id, looks[id]);
    }
    return tracker as unknown as IOpenChats;
  }
};
