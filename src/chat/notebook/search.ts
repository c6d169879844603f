import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  ISearchProviderRegistry,
  SearchProvider,
  type IFilter,
  type IFilters,
  type ISearchMatch,
  type ISearchProviderFactory,
  type SelectionState
} from '@jupyterlab/documentsearch';
import {
  NotebookSearchProvider,
  type NotebookPanel
} from '@jupyterlab/notebook';
import { nullTranslator, type ITranslator } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';

import { renderAll } from '../../render/renderers';
import { wordsIn } from '../../ui/translation';
import { PairCell } from '../cells/cell';
import { ChatPanel } from '../panel';
import { cellText, findHits } from './celltext';
import {
  addCount,
  countOf,
  hitOf,
  rangeOf,
  rangesOf,
  type IEntry
} from './searchentry';
import { SearchMarks } from './searchmarks';

/** The key of JupyterLab's own search provider for notebooks. */
const NOTEBOOK_KEY = 'jp-notebookSearchProvider';

/** How long a match waits for its reply to be rendered. */
const RENDER_MS = 3000;

/**
 * Searches the visible cells of a chat: messages, replies and notes, drawn or not.
 *
 * In what is drawn it searches what is seen, elsewhere the readable text of the document. It never
 * changes the document or the page. Nothing can be replaced: what was sent stays as it was sent.
 */
export class ChatSearchProvider extends SearchProvider<ChatPanel> {
  constructor(
    widget: ChatPanel,
    private _translator: ITranslator = nullTranslator
  ) {
    super(widget);
    widget.session.context.changed.connect(this._onChanged, this);
    widget.session.pairChanged.connect(this._onChanged, this);
    widget.content.selectionChanged.connect(this._onSelection, this);
    widget.content.activeCellChanged.connect(this._onSelection, this);
  }

  override get isReadOnly(): boolean {
    return true;
  }

  override get matchesCount(): number | null {
    return this._started ? this._entries.reduce(addCount, 0) : null;
  }

  override get currentMatchIndex(): number | null {
    const place = this._place();
    if (!place) {
      return null;
    }
    return this._entries.slice(0, place.entry).reduce(addCount, place.hit);
  }

  override getInitialQuery(): string {
    return window.getSelection()?.toString() ?? '';
  }

  /** How many cells are selected. */
  getSelectionState(): SelectionState {
    return this.widget.content.selectedCells.length > 1 ? 'multiple' : 'none';
  }

  override getFilters(): { [key: string]: IFilter } {
    const trans = wordsIn({ translator: this._translator });
    return {
      output: {
        title: trans.__('Search Replies'),
        description: trans.__('Search in the replies too.'),
        default: true,
        supportReplace: false
      },
      selection: {
        title: trans._n(
          'Search in %1 Selected Pair',
          'Search in %1 Selected Pairs',
          this.widget.content.selectedCells.length
        ),
        description: trans.__('Search only in the selected pairs.'),
        default: false,
        supportReplace: false
      }
    };
  }

  override async startQuery(query: RegExp, filters: IFilters): Promise<void> {
    const key = JSON.stringify([query.source, query.flags, filters]);
    const isSame = this._started?.key === key;
    if (!isSame) {
      const { content } = this.widget;
      const selected = content.selectedCells.map(({ model }) => model.id);
      this._started = {
        key,
        query,
        withReplies: filters.output !== false,
        only: filters.selection ? new Set(selected) : null
      };
      this._entries = [];
      this._observe();
    }
    this._update();
    if (!isSame || !this._place()) {
      this._current = this._first();
    }
    this._draw();
  }

  override async endQuery(): Promise<void> {
    this._started = null;
    this._entries = [];
    this._current = null;
    this._changes.disconnect();
    this._sizes.disconnect();
    cancelAnimationFrame(this._frame);
    this._frame = 0;
    this._marks.show([], null);
  }

  override async clearHighlight(): Promise<void> {
    this._current = null;
    this._draw();
  }

  override async highlightNext(): Promise<ISearchMatch | undefined> {
    return this._step(1);
  }

  override async highlightPrevious(): Promise<ISearchMatch | undefined> {
    return this._step(-1);
  }

  override async replaceCurrentMatch(): Promise<boolean> {
    return false;
  }

  override async replaceAllMatches(): Promise<boolean> {
    return false;
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    const { content, session } = this.widget;
    session.context.changed.disconnect(this._onChanged, this);
    session.pairChanged.disconnect(this._onChanged, this);
    content.selectionChanged.disconnect(this._onSelection, this);
    content.activeCellChanged.disconnect(this._onSelection, this);
    void this.endQuery();
    this._marks.dispose();
    super.dispose();
  }

  /** Find the matches again in the cells that have changed since. */
  private _update(): void {
    const started = this._started;
    const { content, session } = this.widget;
    if (!started || !content.isVisible) {
      return;
    }
    const { records, visible } = session.context;
    const before = new Map(this._entries.map(entry => [entry.cell, entry]));
    this._entries = content.widgets.flatMap((cell, index) => {
      const record = records[index];
      const isSearched =
        record?.id === cell.model.id &&
        visible[index] === 1 &&
        !record.isSpare &&
        (!started.only || started.only.has(record.id));
      if (!isSearched) {
        return [];
      }
      const last = before.get(cell);
      const { cell: read } = record;
      if (last?.read === read && !this._dirty.has(cell.node)) {
        return [last];
      }
      const text = cellText(cell, record);
      return [
        {
          id: record.id,
          cell,
          read,
          text,
          written: findHits(started.query, text.written),
          rendered: started.withReplies
            ? findHits(started.query, text.rendered)
            : []
        }
      ];
    });
    this._dirty.clear();
  }

  /** Update, and report it if the matches or the current one are others. */
  private _refresh(): void {
    const before = [this.matchesCount, this.currentMatchIndex];
    this._update();
    const current = this._current;
    if (!this._place()) {
      this._current = this._first();
    }
    this._draw();
    if (
      current !== this._current ||
      before[0] !== this.matchesCount ||
      before[1] !== this.currentMatchIndex
    ) {
      this._stateChanged.emit();
    }
  }

  /** Highlight the matches in the drawn cells; those of cells that have not changed stay. */
  private _draw(): void {
    const place = this._place();
    const drawn = this._entries.filter(
      entry => countOf(entry) > 0 && !entry.cell.isDisposed
    );
    const current = place && rangeOf(this._entries[place.entry], place.hit);
    this._marks.show(drawn, current);
  }

  /** Go to the next or the previous match; a cell that turns out to have none is passed over. */
  private async _step(step: 1 | -1): Promise<ISearchMatch | undefined> {
    const turn = ++this._turn;
    for (let tries = 0; tries <= this._entries.length; tries++) {
      const total = this.matchesCount ?? 0;
      if (total === 0) {
        return undefined;
      }
      const at = this.currentMatchIndex;
      const next =
        at === null
          ? step === 1
            ? 0
            : total - 1
          : (at + step + total) % total;
      this._current = this._nth(next);
      const match = await this._show();
      // While it waited, the user may have gone on.
      if (match || turn !== this._turn) {
        return match;
      }
    }
    return undefined;
  }

  /** Show the current match. */
  private async _show(): Promise<ISearchMatch | undefined> {
    const { content } = this.widget;
    const id = this._current?.id;
    const entry = this._entries.find(entry => entry.id === id);
    const index = entry ? content.widgets.indexOf(entry.cell) : -1;
    if (!entry || index === -1) {
      return undefined;
    }
    const { cell } = entry;
    content.activeCellIndex = index;
    if (!entry.text.shown) {
      this.widget.reveal(cell);
      await cell.ready;
      await renderAll(cell.node, RENDER_MS);
      this._dirty.add(cell.node);
      this._update();
    }
    const now = this._entries.find(other => other.cell === cell);
    const count = now ? countOf(now) : 0;
    const hit = Math.min(this._current?.hit ?? 0, count - 1);
    if (!now || !count || this._current?.id !== id) {
      return undefined;
    }
    this._current = { id: entry.id, hit };
    const at = hitOf(now, hit);
    if (cell instanceof PairCell) {
      cell.unfold(at.isWritten ? 'message' : 'reply');
    }
    if (at.isWritten && cell.editor) {
      // In a long message, the line may not be in the page yet.
      const position = cell.editor.getPositionAt(at.start);
      if (position && !rangeOf(now, hit)) {
        cell.editor.revealPosition(position);
        await new Promise(requestAnimationFrame);
      }
    }
    this._draw();
    const range = rangeOf(now, hit);
    if (range) {
      if (cell instanceof PairCell) {
        cell.reveal(range.startContainer);
      }
      this.widget.scrolling.show(range);
    }
    const text = at.isWritten ? now.text.written : now.text.rendered;
    return { text: text.slice(at.start, at.end), position: at.start };
  }

  /** Where the current match is; null if it is gone. */
  private _place(): { entry: number; hit: number } | null {
    const current = this._current;
    if (!current) {
      return null;
    }
    const entry = this._entries.findIndex(({ id }) => id === current.id);
    const count = entry === -1 ? 0 : countOf(this._entries[entry]);
    return count ? { entry, hit: Math.min(current.hit, count - 1) } : null;
  }

  /** The first match at or after the active cell, or of all. */
  private _first(): ICurrent | null {
    const { activeCellIndex, widgets } = this.widget.content;
    const later = new Set(widgets.slice(Math.max(activeCellIndex, 0)));
    const found =
      this._entries.find(entry => countOf(entry) && later.has(entry.cell)) ??
      this._entries.find(countOf);
    return found ? { id: found.id, hit: 0 } : null;
  }

  private _nth(index: number): ICurrent | null {
    let rest = index;
    for (const entry of this._entries) {
      const count = countOf(entry);
      if (rest < count) {
        return { id: entry.id, hit: rest };
      }
      rest -= count;
    }
    return null;
  }

  /** Watch what is drawn: replies are rendered late, stream, and change. */
  private _observe(): void {
    const { outerNode, viewportNode } = this.widget.content;
    this._changes.observe(viewportNode, {
      attributeFilter: ['hidden', 'open'],
      characterData: true,
      childList: true,
      subtree: true
    });
    // A chat that was in the background has been drawn since.
    this._sizes.observe(outerNode);
  }

  private _onMutations(mutations: readonly MutationRecord[]): void {
    for (const { target, addedNodes } of mutations) {
      const element = target instanceof Element ? target : target.parentElement;
      for (const node of [element?.closest('.jp-Cell'), ...addedNodes]) {
        if (node instanceof Element && node.matches('.jp-Cell')) {
          this._dirty.add(node);
        }
      }
    }
    this._onChanged();
  }

  /** Several changes lead to one update. */
  private _onChanged(): void {
    if (this._started && !this._frame) {
      this._frame = requestAnimationFrame(() => {
        this._frame = 0;
        this._refresh();
      });
    }
  }

  private _onSelection(): void {
    this._filtersChanged.emit();
  }

  private _changes = new MutationObserver(all => this._onMutations(all));
  private _current: ICurrent | null = null;
  /** The cells whose nodes have changed. */
  private _dirty = new Set<Element>();
  private _entries: readonly IEntry[] = [];
  private _frame = 0;
  private _marks = new SearchMarks<IEntry>(rangesOf);
  private _sizes = new ResizeObserver(() => this._onChanged());
  private _started: {
    key: string;
    query: RegExp;
    withReplies: boolean;
    /** The cells that are searched, if only some are. */
    only: ReadonlySet<string> | null;
  } | null = null;
  /** Counts the steps from match to match. */
  private _turn = 0;
}

/** The current match: one of those in a cell. */
interface ICurrent {
  id: string;
  hit: number;
}

/** Uses this provider in chats and JupyterLab's own in other notebooks. */
const FACTORY: ISearchProviderFactory<Widget> = {
  isApplicable: NotebookSearchProvider.isApplicable,
  createNew: (widget, translator) =>
    widget instanceof ChatPanel
      ? new ChatSearchProvider(widget, translator)
      : NotebookSearchProvider.createNew(widget as NotebookPanel, translator)
};

/** Searches chats as they are seen. */
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
