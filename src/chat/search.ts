import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import type { CellSearchProvider } from '@jupyterlab/cells';
import {
  ISearchProviderRegistry,
  type IFilter,
  type IFilters,
  type ISearchProviderFactory
} from '@jupyterlab/documentsearch';
import {
  NotebookSearchProvider,
  type NotebookPanel
} from '@jupyterlab/notebook';
import type { ITranslator } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';

import { ChatPanel } from './panel';

/** The name under which JupyterLab keeps the search in notebooks. */
const NOTEBOOK_KEY = 'jp-notebookSearchProvider';

/**
 * Finds text in the cells of a chat that can be seen.
 *
 * Nothing can be replaced: what was sent stays as it was sent.
 */
export class ChatSearchProvider extends NotebookSearchProvider {
  constructor(panel: ChatPanel, translator?: ITranslator) {
    super(panel, translator);
    panel.session.context.changed.connect(this._onContext, this);
  }

  override get isReadOnly(): boolean {
    return true;
  }

  override getFilters(): { [key: string]: IFilter } {
    const trans = this.translator.load('jupyterlab_turnbook');
    const { output, ...others } = super.getFilters();
    return {
      ...others,
      output: {
        ...output,
        title: trans.__('Search Replies'),
        description: trans.__('Search in the replies too.')
      }
    };
  }

  override async startQuery(
    query: RegExp,
    filters: IFilters | undefined
  ): Promise<void> {
    const { visible } = this._panel.session.context;
    await super.startQuery(query, filters);
    this._started = { query, filters, visible };
    const hidden = this._cellProviders.filter((_, index) => !visible[index]);
    if (hidden.length) {
      await Promise.all(hidden.map(provider => provider.setIsActive(false)));
      // The first match may have been in one of them.
      await this.clearHighlight();
      await this.highlightNext(true, {
        from: 'selection-start',
        scroll: false,
        select: false
      });
    }
  }

  override async endQuery(): Promise<void> {
    this._started = null;
    await super.endQuery();
  }

  override dispose(): void {
    this._panel.session.context.changed.disconnect(this._onContext, this);
    super.dispose();
  }

  private get _panel(): ChatPanel {
    return this.widget as ChatPanel;
  }

  /** The searches of the cells, in order; JupyterLab has no public name for them. */
  private get _cellProviders(): CellSearchProvider[] {
    const { _searchProviders } = this as unknown as {
      _searchProviders?: CellSearchProvider[];
    };
    return _searchProviders ?? [];
  }

  /** Search again when other cells can be seen. */
  private _onContext(): void {
    const started = this._started;
    const { visible } = this._panel.session.context;
    if (
      started &&
      (visible.length !== started.visible.length ||
        visible.some((flag, index) => flag !== started.visible[index]))
    ) {
      void this.startQuery(started.query, started.filters).then(() =>
        this._stateChanged.emit()
      );
    }
  }

  private _started: {
    query: RegExp;
    filters: IFilters | undefined;
    visible: Uint8Array;
  } | null = null;
}

/** Searches in chats as above and in other notebooks as before. */
const FACTORY: ISearchProviderFactory<Widget> = {
  isApplicable: NotebookSearchProvider.isApplicable,
  createNew: (widget, translator) =>
    widget instanceof ChatPanel
      ? new ChatSearchProvider(widget, translator)
      : NotebookSearchProvider.createNew(widget as NotebookPanel, translator)
};

/** Keeps the document search to the visible cells of a chat. */
export const searchPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:search',
  description: 'Searches the visible cells of a chat.',
  autoStart: true,
  requires: [ISearchProviderRegistry],
  activate: (app: JupyterFrontEnd, registry: ISearchProviderRegistry): void => {
    // The registry asks in the order of registration, and a chat's panel is a notebook panel
    // too: only in the notebook's place, once it is taken, does this one get asked.
    void app.started.then(() => registry.add(NOTEBOOK_KEY, FACTORY));
  }
};
