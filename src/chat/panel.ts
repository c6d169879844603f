import type { Cell } from '@jupyterlab/cells';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import { NotebookPanel, type INotebookModel } from '@jupyterlab/notebook';
import type { ITranslator } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import { Debouncer } from '@lumino/polling';
import { Signal, type ISignal } from '@lumino/signaling';
import { BoxLayout } from '@lumino/widgets';

import { Announcer } from './announcer';
import { isOccupied, isStillHere } from './focus';
import { goToCell } from './goto';
import type { IAttachment } from '../document/attachments';
import { hasLock } from '../document/lock';
import type { FilterBar } from '../filter/bar';
import { wider } from '../filter/wider';
import { ContextCounter } from './composer/budgetview';
import type { PairCell } from './cells/cell';
import type { Composer } from './composer/composer';
import type { ChatNotebook } from './notebook/notebook';
import { FirstPaint } from './notebook/firstpaint';
import { OutMarks } from './notebook/outmarks';
import { LatestButton } from './notebook/latestbutton';
import { NewPairsLine } from './notebook/newpairsline';
import { replyBox, Scrolling } from './notebook/scrolling';
import type { PairAction } from './cells/pairview';
import type { PreludeBlock } from './cells/preludeblock';
import type { ChatSession } from '../session/session';
import type { ChatSettings } from '../session/settings';
import { isDrawn, isFiltered } from './notebook/sight';
import { wordsIn } from '../ui/translation';
import { factsOf } from './pairknowledge';
import { actOnSibling } from './siblings';
import { actOnTools } from './toolactions';

/** How long after a key press the user counts as typing. */
const TYPING_MS = 1000;

/** How long the token estimate waits for the next key. */
const ESTIMATE_MS = 150;

/** A chat: the filter, its cells, and the composer below them. */
export class ChatPanel extends NotebookPanel {
  constructor(options: ChatPanel.IOptions) {
    super({ context: options.context, content: options.content });
    this.addClass('jp-Turnbook-chat');
    this.session = options.session;
    this.composer = options.composer;
    this.filterBar = options.filterBar;
    this._settings = options.settings;
    this.contentHeader.addWidget(this.filterBar);
    this.contentHeader.addWidget(options.prelude);
    const trans = wordsIn(options);
    this.counter = new ContextCounter(trans);
    this.filterBar.slot.append(this.counter.node);
    this._newPairs = new NewPairsLine(trans, isShown => {
      this.session.context.showNewPairs(isShown);
    });
    this.filterBar.below.append(this._newPairs.node);
    const layout = this.layout as BoxLayout;
    layout.addWidget(this.composer);
    BoxLayout.setStretch(this.composer, 0);

    const announcer = new Announcer({
      session: this.session,
      notebook: () => this.model!.sharedModel,
      trans
    });
    this.node.append(announcer.node);
    this._outMarks = new OutMarks(this.content);
    this.scrolling = new Scrolling({
      content: this.content,
      panel: this.node,
      composer: this.composer.node
    });
    new LatestButton({
      content: this.content,
      scrolling: this.scrolling,
      trans,
      onClick: () => this.showLatest()
    });
    this._connect();
    // What is shown is what is sent.
    const addPrelude = () => {
      this.session.context.prelude = options.prelude.messages;
    };
    options.prelude.changed.connect(addPrelude);
    addPrelude();
    this._onContext();
    void this.revealed.then(() => this._onRevealed());
  }

  override get content(): ChatNotebook {
    return super.content as ChatNotebook;
  }

  /** The editor for new messages. */
  readonly composer: Composer;

  /** The counter of what is sent, in the filter bar or the toolbar. */
  readonly counter: ContextCounter;

  /** The filter bar. */
  readonly filterBar: FilterBar;

  /** Keeps a place of the chat in view. */
  readonly scrolling: Scrolling;

  /** The session of the chat. */
  readonly session: ChatSession;

  /** Emitted when the user requests an action in a pair's cell. */
  get actionRequested(): ISignal<this, { cell: PairCell; action: PairAction }> {
    return this._actionRequested;
  }

  /** Update all cells, after something changed for all of them. */
  refresh(): void {
    this.content.showLocks();
    this._onSettings();
  }

  /** INPUT mode: the composer has the focus. */
  enterInput(): void {
    this.composer.focus();
  }

  /** Attach something to the message being written, and focus the composer. Sends nothing. */
  attach(attachments: readonly IAttachment[]): void {
    this.composer.take((attaching, isLocked) =>
      attaching.take(attachments, isLocked)
    );
  }

  /** Scroll to the end of the chat, and stay there while it grows, until the user scrolls away. */
  stick(): void {
    this.scrolling.stick();
  }

  /** Activate the last visible cell, and stay at the end of the chat while it grows. */
  showLatest(): void {
    const { content } = this;
    let index = content.widgets.length - 1;
    while (index > 0 && content.widgets[index].isHidden) {
      index--;
    }
    content.activeCellIndex = index;
    content.deselectAll();
    this.stick();
    this._lookAtNews();
  }

  /** Scroll to the beginning of a cell, and stay there. */
  reveal(cell: Cell): void {
    this.scrolling.reveal(cell);
  }

  /** VIEW mode: the notebook in command mode has the focus. */
  enterView(): void {
    this.content.mode = 'command';
    this.content.activate();
    // The cell may have been active before the user looked at it.
    const cell = this.content.activeCell;
    if (cell && !isFiltered(cell)) {
      this._setNew(cell.model.id, false);
    }
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    window.removeEventListener('pagehide', this._onPageHide);
    window.removeEventListener('storage', this._onStorage);
    this._estimate.dispose();
    this.scrolling.dispose();
    this.session.dispose();
    super.dispose();
  }

  protected override onActivateRequest(msg: Message): void {
    this._wasActivated = true;
    this._takeFocus();
    // The composer may not be rendered yet.
    this._focusAtActivation = document.activeElement;
  }

  private _connect(): void {
    const { session, content, filterBar } = this;
    session.pairChanged.connect(this._onPairChanged, this);
    session.landed.connect(this._onLanded, this);
    session.sent.connect(this._onSent, this);
    session.posted.connect(this._onPairChanged, this);
    session.context.changed.connect(this._onContext, this);
    session.draft.changed.connect(() => void this._estimate.invoke());
    session.changed.connect(() => void this._estimate.invoke());
    this._settings.changed.connect(this._onSettings, this);
    session.prices.changed.connect(this._onSettings, this);
    content.pairDrawing.connect(this._onPairDrawing, this);
    content.pairDrawn.connect(this._onPairDrawn, this);
    content.activeCellChanged.connect(this._onActiveCell, this);
    content.filterRequested.connect((_, text) => filterBar.apply(text));
    this.scrolling.scrolled.connect(this._lookAtNews, this);
    window.addEventListener('pagehide', this._onPageHide);
    window.addEventListener('storage', this._onStorage);
    filterBar.queryChanged.connect((_, query) => {
      session.context.query = query;
    });
    filterBar.left.connect(() => this.enterView());
    this.composer.left.connect(() => this.enterView());
    this.composer.pairRequested.connect((_, id) => goToCell(this, id, false));
  }

  private _onRevealed(): void {
    if (this.isDisposed) {
      return;
    }
    // A notebook with one empty cell would enter edit mode at once.
    this.content.mode = 'command';
    // Open at the end; this way Esc from the composer does not jump to the top.
    if (!this.scrolling.isElsewhere) {
      this.content.activeCellIndex = this.content.widgets.length - 1;
      this.stick();
    }
    this._firstPaint.begin();
    // Changing the mode moves the focus slightly later.
    requestAnimationFrame(() => {
      if (
        this._wasActivated &&
        !this.isDisposed &&
        isStillHere(this.node, this._focusAtActivation)
      ) {
        this._takeFocus();
      }
    });
  }

  /** Focus the composer, unless the user is already typing in this chat. */
  private _takeFocus(): void {
    if (!isOccupied(this.node)) {
      this.enterInput();
    }
  }

  private _onPairDrawing(_: ChatNotebook, cell: PairCell): void {
    const { id } = cell.model;
    cell.know(this._facts(id));
    cell.live = this.session.live(id);
  }

  /** Only a drawn pair can request actions. */
  private _onPairDrawn(_: ChatNotebook, cell: PairCell): void {
    cell.actionRequested.connect((_, action) => {
      this.content.activeCellIndex = this.content.widgets.indexOf(cell);
      this.content.deselectAll();
      this._actionRequested.emit({ cell, action });
    });
    cell.toolsRequested.connect((_, request) =>
      actOnTools(this, cell.model.id, request)
    );
    cell.siblingRequested.connect((_, request) =>
      actOnSibling(this, cell, request)
    );
  }

  /** An empty id means that something changed for all pairs. */
  private _onPairChanged(_: unknown, pair: string): void {
    if (pair === '') {
      this._onSettings();
      return;
    }
    const cell = this.content.pair(pair);
    if (cell) {
      cell.live = this.session.live(pair);
      cell.know(this._facts(pair));
    }
  }

  /** Show what was just sent. */
  private _onSent(_: unknown, pair: string): void {
    this.content.pair(pair)?.know(this._facts(pair));
    const index = this.content.widgets.findIndex(
      cell => cell.model.id === pair
    );
    if (index !== -1 && !isFiltered(this.content.widgets[index])) {
      this.content.activeCellIndex = index;
      this.content.deselectAll();
    }
    const isLast = index === this.content.widgets.length - 1;
    if (index === -1 || isLast || isFiltered(this.content.widgets[index])) {
      this.stick();
    } else {
      // A pair that is sent again keeps its position, which may be far from the end.
      this.reveal(this.content.widgets[index]);
    }
  }

  private _onSettings(): void {
    for (const [id, cell] of this.content.pairs) {
      // The others learn it when they are drawn.
      if (isDrawn(cell)) {
        cell.know(this._facts(id));
      }
    }
  }

  private _facts(id: string) {
    const isLocked = hasLock(this.model!.sharedModel);
    return factsOf(id, this.session, this._settings.current, isLocked);
  }

  private _onContext(): void {
    const { context } = this.session;
    if (this._firstPaint.isAwaited) {
      return;
    }
    this.content.filter(context.visible, () =>
      wider(context.query, context.records, Date.now())
    );
    this._newPairs.show(context.newPairs);
    this._showBudget();
  }

  private _showBudget(): void {
    if (this.isDisposed || this._firstPaint.isAwaited) {
      return;
    }
    const { budget, pairs } = this.session.context;
    const special = this.session.budgets.send;
    const state = special?.state ?? this.session.budgets.state;
    this.counter.show(state, pairs);
    this.composer.tokens = state.total;
    this._outMarks.show(budget, state.boundary, special);
  }

  /**
   * A reply is complete: go to it if it does not fit on the screen and the user is not typing; if
   * they are, mark it as new. Decided once, here.
   */
  private _onLanded(_: unknown, pair: string): void {
    const cell = this.content.pair(pair);
    if (!cell || isFiltered(cell) || !this.isVisible) {
      this._setNew(pair, true);
      return;
    }
    if (hasLock(this.model!.sharedModel)) {
      // A chat started from a replay follows its end while it is locked.
      this.stick();
      return;
    }
    requestAnimationFrame(() => {
      if (this.isDisposed || cell.isDisposed) {
        return;
      }
      const view = this.content.outerNode.getBoundingClientRect();
      const { top, height } = replyBox(cell);
      const fits = height <= view.height;
      const typing = Date.now() - this.composer.lastKey < TYPING_MS;
      const here = this.node.contains(document.activeElement);
      if (fits) {
        this._setNew(pair, top > view.bottom || top + height < view.top);
      } else if (
        !typing &&
        here &&
        this._settings.current.autoEnterViewOnOverflow
      ) {
        this.content.activeCellIndex = this.content.widgets.indexOf(cell);
        this.enterView();
        this.reveal(cell);
        const reply = replyBox(cell).top;
        if (reply > (view.top + view.bottom) / 2) {
          // Below a long message, the reply's first line would be out of view.
          this.scrolling.go(reply - view.top);
        }
      } else {
        this._setNew(pair, true);
      }
    });
  }

  private _setNew(pair: string, isNew: boolean): void {
    const { news, context } = this.session;
    if (isNew ? news.add(pair) : news.delete(pair)) {
      this.content.pair(pair)?.know({ isNew });
      context.refresh();
    }
  }

  private _onActiveCell(_: ChatNotebook, cell: Cell | null): void {
    // JupyterLab also activates cells that the user has not looked at.
    if (cell && this.content.node.contains(document.activeElement)) {
      this._setNew(cell.model.id, false);
    }
  }

  /** A new reply counts as viewed once its end is visible. */
  private _lookAtNews(): void {
    const view = this.content.outerNode.getBoundingClientRect();
    for (const id of this.session.news.ids) {
      const cell = this.content.pair(id);
      const box =
        cell && !isFiltered(cell) && cell.node.getBoundingClientRect();
      if (box && box.bottom > view.top && box.bottom <= view.bottom + 1) {
        this._setNew(id, false);
      }
    }
  }

  private _actionRequested = new Signal<
    this,
    { cell: PairCell; action: PairAction }
  >(this);
  private _estimate = new Debouncer(() => this._showBudget(), ESTIMATE_MS);
  private _firstPaint = new FirstPaint({
    count: () => this.model?.cells.length ?? 0,
    isFiltered: () => this.session.context.query !== null,
    isDisposed: () => this.isDisposed,
    onPainted: () => this._onContext()
  });
  private _newPairs: NewPairsLine;
  private _onPageHide = () => this.session.flush();
  private _onStorage = ({ key, newValue }: StorageEvent) =>
    this.session.draft.onStorage(key, newValue);
  private _outMarks: OutMarks;
  private _settings: ChatSettings;
  private _wasActivated = false;
  private _focusAtActivation: Element | null = null;
}

/**
 * The namespace for `ChatPanel` statics.
 */
export namespace ChatPanel {
  export interface IOptions {
    context: DocumentRegistry.IContext<INotebookModel>;
    content: ChatNotebook;
    session: ChatSession;
    composer: Composer;
    filterBar: FilterBar;
    prelude: PreludeBlock;
    settings: ChatSettings;
    translator?: ITranslator;
  }
}
