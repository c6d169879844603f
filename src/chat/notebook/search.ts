import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import type { CellSearchProvider } from '@jupyterlab/cells';
import {
  ISearchProviderRegistry,
  type IFilter,
  type IFilters,
  type ISearchMatch,
  type ISearchProviderFactory
} from '@jupyterlab/documentsearch';
import {
  NotebookSearchProvider,
  type NotebookPanel
} from '@jupyterlab/notebook';
import type { ITranslator } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';

import {
  cellSearches,
  makeHighlighter,
  onCellSearchAdded
} from '../../labpatch/cellsearch';
import { ChatPanel } from '../panel';

/** The key of JupyterLab's own search provider for notebooks. */
const NOTEBOOK_KEY = 'jp-notebookSearchProvider';

/**
 * Searches the visible cells of a chat.
 *
 * Nothing can be replaced: what was sent stays as it was sent.
 */
export class ChatSearchProvider extends NotebookSearchProvider {
  constructor(panel: ChatPanel, translator?: ITranslator) {
    super(panel, translator);
    panel.session.context.changed.connect(this._onContext, this);
    onCellSearchAdded(this, adopt);
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
    cellSearches(this).forEach(adopt);
    this._started = { query, filters, visible };
    const hidden = cellSearches(this).filter((_, index) => !visible[index]);
    if (hidden.length) {
      await Promise.all(hidden.map(provider => provider.setIsActive(false)));
      // The first match may have been in a hidden cell.
      await this.clearHighlight();
      await this.highlightNext(true, {
        from: 'selection-start',
        scroll: false,
        select: false
      });
    }
  }

  override async highlightNext(
    ...args: Parameters<NotebookSearchProvider['highlightNext']>
  ): Promise<ISearchMatch | undefined> {
    const match = await super.highlightNext(...args);
    this._showMatch(match, args[1]?.scroll);
    return match;
  }

  override async highlightPrevious(
    ...args: Parameters<NotebookSearchProvider['highlightPrevious']>
  ): Promise<ISearchMatch | undefined> {
    const match = await super.highlightPrevious(...args);
    this._showMatch(match, args[1]?.scroll);
    return match;
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

  /**
   * JupyterLab scrolls to the message of a match; in a long reply the match would stay out of view.
   */
  private _showMatch(match: ISearchMatch | undefined, scroll = true): void {
    const cell = this._panel.content.activeCell;
    if (match && isInReply(match) && scroll) {
      // An editor scrolls in the next frame.
      requestAnimationFrame(() => {
        cell?.node
          .querySelector('.jp-OutputArea .jp-current-match')
          ?.scrollIntoView({ block: 'nearest' });
      });
    }
  }

  /** Search again when the visible cells change. */
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

/**
 * Keep a cell's search from throwing.
 *
 * Its highlighter must exist before the cell comes into view. And JupyterLab takes the position of
 * a match in a reply for one in the message, which may be shorter.
 */
function adopt(provider: CellSearchProvider): void {
  if (adopted.has(provider)) {
    return;
  }
  adopted.add(provider);
  makeHighlighter(provider);
  const { highlightNext, highlightPrevious } = provider;
  provider.highlightNext = async (...args) =>
    inMessage(await highlightNext.apply(provider, args));
  provider.highlightPrevious = async (...args) =>
    inMessage(await highlightPrevious.apply(provider, args));
}

const adopted = new WeakSet<CellSearchProvider>();

/** Matches in rendered text have a node, those in an editor do not. */
function isInReply(match: ISearchMatch): boolean {
  return 'node' in match;
}

/** A match with a position that exists in its cell's editor. */
function inMessage<T extends ISearchMatch>(
  match: T | undefined
): T | undefined {
  return match && isInReply(match) ? { ...match, position: 0 } : match;
}

/** Uses this provider in chats and JupyterLab's own in other notebooks. */
const FACTORY: ISearchProviderFactory<Widget> = {
  isApplicable: NotebookSearchProvider.isApplicable,
  createNew: (widget, translator) =>
    widget instanceof ChatPanel
      ? new ChatSearchProvider(widget, translator)
      : NotebookSearchProvider.createNew(widget as NotebookPanel, translator)
};

/** Limits the document search to the visible cells of a chat. */
export const searchPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:search',
  description: 'Searches the visible cells of a chat.',
  autoStart: true,
  requires: [ISearchProviderRegistry],
  activate: (app: JupyterFrontEnd, registry: ISearchProviderRegistry): void => {
    // The registry asks providers in the order of registration, and a chat's panel is a notebook
    // panel too: this provider is only asked if it replaces the notebook's once that is registered.
    void app.started.then(() => registry.add(NOTEBOOK_KEY, FACTORY));
  }
};
