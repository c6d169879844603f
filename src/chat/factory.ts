import { PathExt } from '@jupyterlab/coreutils';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import {
  type INotebookModel,
  NotebookWidgetFactory,
  type NotebookPanel
} from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';
import type { ITranslator } from '@jupyterlab/translation';

import { chatInfo } from '../document/chatentry';
import { FilterBar } from '../filter/bar';
import { replaceMethod } from '../labpatch/contextmethods';
import type { IDiagrams } from '../render/diagrams';
import { untrustedRenderMime } from '../render/registry';
import { SharedRules } from '../request/autoapply';
import { browserStorage } from '../base/storage';
import type { ITurnbook } from '../runs/tokens';
import { Composer } from './composer/composer';
import { Attaching } from './composer/files/attaching';
import { ReferenceCompletion } from './composer/references/completion';
import type { IReferenceProviders } from './composer/references/providers';
import { chooseFiles } from './composer/files/choosefiles';
import { ChatFile } from '../session/file';
import { KnownFiles } from '../session/knownfiles';
import type { ChatNotebook } from './notebook/notebook';
import { ChatPanel } from './panel';
import type { IPrelude } from './cells/prelude';
import { PreludeBlock } from './cells/preludeblock';
import { OwnRuns } from '../session/ownruns';
import { ChatSession } from '../session/session';
import type { ChatSettings } from '../session/settings';
import { takeTab } from './tablock';

/** Creates chat panels. */
export class ChatWidgetFactory extends NotebookWidgetFactory {
  constructor(options: ChatWidgetFactory.IOptions) {
    super(options);
    this._options = options;
  }

  /**
   * The content provider of notebooks, because that is how jupyter-collaboration shares documents.
   */
  override get contentProviderId(): string | undefined {
    return this._options?.notebookFactory.contentProviderId;
  }

  protected override createNewWidget(
    context: DocumentRegistry.IContext<INotebookModel>
  ): ChatPanel {
    const { turnbook, settings, translator } = this._options;
    const session = new ChatSession({
      context,
      file: this._file(context),
      api: turnbook.api,
      socket: turnbook.socket,
      catalog: turnbook.catalog,
      storage: window.localStorage,
      own: this._own,
      requestStorage: this._requestStorage,
      sharedRules: this._sharedRules,
      settings,
      ask: this._options.ask,
      confirm: this._options.confirm,
      confirmMissing: this._options.confirmMissing
    });
    const topics = () => session.context.topics;
    const filterBar = new FilterBar({
      topics,
      models: () => turnbook.catalog.list?.models.map(({ id }) => id) ?? [],
      store: browserStore(),
      translator
    });
    const content = this.contentFactory.createNotebook({
      rendermime: untrustedRenderMime(
        this.rendermime.clone({ resolver: context.urlResolver }),
        this._options.diagrams
      ),
      contentFactory: this.contentFactory,
      mimeTypeService: this.mimeTypeService,
      editorConfig: this.editorConfig,
      notebookConfig: this.notebookConfig,
      translator
    }) as ChatNotebook;
    const use = (model: string) => {
      session.model = model;
    };
    const { documents } = this._options;
    const attaching = new Attaching({
      contents: documents.services.contents,
      api: turnbook.api,
      draft: session.draft
    });
    const composer = new Composer({
      session,
      attaching,
      references: new ReferenceCompletion({
        providers: this._options.references,
        chat: () => panel
      }),
      browse: async () => {
        const paths = await chooseFiles(
          documents,
          translator,
          PathExt.dirname(context.path)
        );
        await attaching.addPaths(paths);
      },
      catalog: turnbook.catalog,
      api: turnbook.api,
      translator,
      manageProviders: () => turnbook.manageProviders(use),
      localModels: () => turnbook.localModels(use),
      topics,
      send: models => void session.send(models),
      askSeveral: () => this._options.askSeveral(),
      requestEditor: () => settings.current['requestEditor.enabled'],
      openRequest: () => this._options.openRequest()
    });
    const prelude = new PreludeBlock({
      prelude: this._options.prelude,
      chat: () => ({
        path: context.path,
        chatId: session.info?.chatId ?? ''
      }),
      translator
    });
    void session.ready.then(() => prelude.isDisposed || prelude.refresh());
    context.pathChanged.connect(() => prelude.refresh());
    const panel: ChatPanel = new ChatPanel({
      context,
      content,
      session,
      composer,
      filterBar,
      prelude,
      settings,
      translator
    });
    return panel;
  }

  /** Shared by all views of a document. */
  private _file(context: DocumentRegistry.IContext<INotebookModel>): ChatFile {
    let file = this._files.get(context);
    if (!file) {
      const { documents, translator } = this._options;
      file = new ChatFile({
        context,
        contents: documents.services.contents,
        isAutosaved: () => documents.autosave,
        translator
      });
      this._files.set(context, file);
      this._knowCopies(context);
    }
    return file;
  }

  /** A copy that the user saves under another name is as trusted as this file. */
  private _knowCopies(
    context: DocumentRegistry.IContext<INotebookModel>
  ): void {
    const { contents } = this._options.documents.services;
    const files = new KnownFiles(window.localStorage);
    const note = (_: unknown, { type, newValue }: Contents.IChangedArgs) => {
      const path = newValue?.path;
      const info = chatInfo(context.model.sharedModel);
      if (type === 'save' && path && path !== context.path && info) {
        const { chatId } = info;
        files.copy(
          { chatId, path: context.localPath },
          { chatId, path: contents.localPath(path) }
        );
      }
    };
    replaceMethod(context, 'saveAs', saveAs => async () => {
      // The new file is opened as soon as it is written.
      contents.fileChanged.connect(note);
      try {
        return await saveAs();
      } finally {
        contents.fileChanged.disconnect(note);
      }
    });
  }

  private readonly _files = new WeakMap<DocumentRegistry.Context, ChatFile>();
  private _options: ChatWidgetFactory.IOptions;
  private readonly _own = new OwnRuns({
    storage: window.sessionStorage,
    take: takeTab
  });
  private _requestStorage = browserStorage();
  private _sharedRules = new SharedRules(this._requestStorage);
}

/**
 * The namespace for `ChatWidgetFactory` statics.
 */
export namespace ChatWidgetFactory {
  export interface IOptions extends NotebookWidgetFactory.IOptions<NotebookPanel> {
    turnbook: ITurnbook;
    notebookFactory: NotebookWidgetFactory.IFactory;
    translator: ITranslator;
    settings: ChatSettings;
    prelude: IPrelude;
    references: IReferenceProviders;
    /** Asks the user about what a file from elsewhere requests. */
    ask: ChatSession.IOptions['ask'];
    /** Asks whether a request with this budget may be sent. */
    confirm: ChatSession.IOptions['confirm'];
    /** Asks whether a message may be sent without files that are missing. */
    confirmMissing: ChatSession.IOptions['confirmMissing'];
    /** Show the request of the message being written. */
    openRequest: () => void;
    /** Let the user choose several models to ask. */
    askSeveral: () => void;
    /** Says whether autosave is on. */
    documents: IDocumentManager;
    /** What draws the diagrams of replies. */
    diagrams: IDiagrams | null;
  }
}

/** Storage for the filter bar's history and saved filters: in the browser, for all chats. */
function browserStore(): FilterBar.IOptions['store'] {
  const prefix = 'turnbook:filter:';
  return {
    get: key => window.localStorage.getItem(prefix + key),
    set: (key, value) => window.localStorage.setItem(prefix + key, value)
  };
}
