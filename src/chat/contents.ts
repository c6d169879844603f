import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import type { Cell } from '@jupyterlab/cells';
import { ActivityMonitor } from '@jupyterlab/coreutils';
import {
  ITableOfContentsRegistry,
  TableOfContentsFactory,
  TableOfContentsModel,
  type TableOfContents
} from '@jupyterlab/toc';
import { ITranslator } from '@jupyterlab/translation';

import type { CellRecord } from '../context/cellrecord';
import type { ContextCell } from '../context/gather';
import { shortTitle } from '../document/title';
import { pageText } from '../render/pagetext';
import { headingsOf } from '../render/readable';
import { renderAll } from '../render/renderers';
import { wordsIn } from '../ui/translation';
import { goToCell } from './goto';
import type { IOpenChats } from './openchats';
import type { ChatPanel } from './panel';
import { IChatTracker } from './tokens';

/** How long after a change the table of contents is made again. */
const UPDATE_MS = 200;

/** How long a heading waits for its reply to be rendered. */
const RENDER_MS = 3000;

/** How many messages are listed; JupyterLab draws an element for each. */
const MAX_MESSAGES = 1000;

/** How much of a message or a heading is listed. */
const MAX_TEXT = 120;

/** An entry: a message, or a heading in its reply or in a note. */
export interface IChatHeading extends TableOfContents.IHeading {
  /** The cell. */
  id: string;
  /** How many headings with the same words are before it in its cell; null for a message. */
  place: number | null;
  /** The words of a heading in the page, where formulas are drawn. */
  words?: string;
}

/** The table of contents of a chat: the visible messages, each with the headings of its reply. */
export class ChatContents extends TableOfContentsModel<
  IChatHeading,
  ChatPanel
> {
  constructor(
    widget: ChatPanel,
    private _translator: ITranslator,
    configuration?: TableOfContents.IConfig
  ) {
    super(widget, configuration);
    // The filter and the order of cells; a reply that streams is listed when it has landed.
    this._monitor = new ActivityMonitor({
      signal: widget.session.context.changed,
      timeout: UPDATE_MS
    });
    this._monitor.activityStopped.connect(() => void this.refresh());
    widget.content.activeCellChanged.connect(this._onActiveCell, this);
    this.activeHeadingChanged.connect(this._onHeading, this);
    this.headingsChanged.connect(() =>
      this._onActiveCell(null, widget.content.activeCell)
    );
    widget.disposed.connect(() => this.dispose());
  }

  readonly documentType = 'turnbook-chat';

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._monitor.dispose();
    this.widget.content.activeCellChanged.disconnect(this._onActiveCell, this);
    super.dispose();
  }

  protected override async getHeadings(): Promise<IChatHeading[] | null> {
    // A table of contents that nobody sees costs nothing.
    if (!this.isActive || this.widget.isDisposed) {
      return null;
    }
    const { records, visible } = this.widget.session.context;
    const listed = records.filter(
      (record, index) =>
        visible[index] && !record.isSpare && record.kind !== 'system'
    );
    const left = Math.max(0, listed.length - MAX_MESSAGES);
    const depth = this.configuration.maximalDepth;
    // An entry that was folded stays folded.
    const folded = new Set(
      this.headings.filter(({ collapsed }) => collapsed).map(keyOf)
    );
    const headings = listed
      .slice(left)
      .flatMap(record => this._headingsOf(record))
      .filter(({ level }) => level <= depth)
      // JupyterLab writes into them.
      .map(heading => ({ ...heading, collapsed: folded.has(keyOf(heading)) }));
    return left > 0
      ? [this._earlier(left, listed[left - 1].id), ...headings]
      : headings;
  }

  protected override isHeadingEqual(
    one: IChatHeading,
    other: IChatHeading
  ): boolean {
    return super.isHeadingEqual(one, other) && one.id === other.id;
  }

  /** The entries of a cell, kept until it changes. */
  private _headingsOf(record: CellRecord): readonly IChatHeading[] {
    const { cell } = record;
    let headings = this._kept.get(cell);
    if (!headings) {
      headings = cellHeadings(record);
      this._kept.set(cell, headings);
    }
    return headings;
  }

  private _earlier(count: number, id: string): IChatHeading {
    const trans = wordsIn({ translator: this._translator });
    const text = trans._n('%1 earlier message', '%1 earlier messages', count);
    return { level: 1, text, id, place: null };
  }

  private _onActiveCell(_: unknown, cell: Cell | null): void {
    const active = this.headings.find(({ id }) => id === cell?.model.id);
    this.setActiveHeading(active ?? null, false);
  }

  private _onHeading(_: unknown, heading: IChatHeading | null): void {
    if (heading && goToCell(this.widget, heading.id, false)) {
      void this._showHeading(heading);
    }
  }

  /** Scroll to a heading once its reply is rendered. */
  private async _showHeading(heading: IChatHeading): Promise<void> {
    const { id, place, words } = heading;
    const cell = this.widget.content.widgets.find(
      ({ model }) => model.id === id
    );
    if (!cell || place === null) {
      return;
    }
    await cell.ready;
    await renderAll(cell.node, RENDER_MS);
    const found = [
      ...cell.node.querySelectorAll('h1, h2, h3, h4, h5, h6')
    ].filter(node => shortTitle(pageText([node]).text, MAX_TEXT) === words);
    const node = found[place] ?? found[0];
    if (node && !this.widget.isDisposed) {
      // A reply that was not drawn has folded only now.
      this.widget.content.pair(id)?.unfold('reply');
      const range = document.createRange();
      range.selectNodeContents(node);
      this.widget.scrolling.show(range);
    }
  }

  private _kept = new WeakMap<ContextCell, readonly IChatHeading[]>();
  private _monitor: ActivityMonitor<unknown, unknown>;
}

function keyOf({ id, place, text }: IChatHeading): string {
  return JSON.stringify([id, place, text]);
}

function cellHeadings(record: CellRecord): IChatHeading[] {
  const { id, kind } = record;
  const isNote = kind === 'note';
  const before = new Map<string, number>();
  const headings = headingsOf(
    isNote ? record.shared.getSource() : record.reply
  ).map(heading => {
    const level = isNote ? heading.level : heading.level + 1;
    const text = shortTitle(heading.text, MAX_TEXT);
    const words = shortTitle(heading.words, MAX_TEXT);
    const place = before.get(words) ?? 0;
    before.set(words, place + 1);
    return { level, text, id, place, words };
  });
  const message = isNote ? '' : shortTitle(record.user, MAX_TEXT);
  return message || !isNote
    ? [{ level: 1, text: message || '…', id, place: null }, ...headings]
    : headings;
}

/** Creates the tables of contents of chats. */
class ChatContentsFactory extends TableOfContentsFactory<
  ChatPanel,
  IChatHeading
> {
  constructor(
    tracker: IOpenChats,
    private _translator: ITranslator
  ) {
    super(tracker);
  }

  protected override _createNew(
    widget: ChatPanel,
    configuration?: TableOfContents.IConfig
  ): ChatContents {
    return new ChatContents(widget, this._translator, configuration);
  }
}

/** Lists the messages of a chat in JupyterLab's table of contents. */
export const contentsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:contents',
  description:
    'Lists the messages of a chat, and the headings of replies, in the table of contents.',
  autoStart: true,
  requires: [IChatTracker, ITranslator],
  optional: [ITableOfContentsRegistry],
  activate: (
    _: JupyterFrontEnd,
    tracker: IOpenChats,
    translator: ITranslator,
    registry: ITableOfContentsRegistry | null
  ): void => {
    const factory = new ChatContentsFactory(tracker, translator);
    // It is only asked for the panels of its tracker.
    registry?.add(factory as unknown as TableOfContents.IFactory);
  }
};
