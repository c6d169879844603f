import type { Cell } from '@jupyterlab/cells';
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import { UNCOVER } from '../../render/diagramview';
import type { PairCell } from '../cells/cell';
import type { ChatNotebook } from './notebook';

/** The events by which a user scrolls away. */
const MOVES = ['wheel', 'touchmove', 'keydown', 'pointerdown'];

/** How long after a user action a scroll counts as theirs. */
const TOUCH_MS = 500;

/** How far up a deliberate scroll goes, at least. */
const AWAY_PX = 100;

/**
 * Keeps the end of a chat, or the beginning of a cell, in view until the user scrolls away.
 *
 * Only the user ends this; late layout changes also move the view.
 */
export class Scrolling implements IDisposable {
  constructor(options: Scrolling.IOptions) {
    this._options = options;
    const { content, panel } = options;
    const { outerNode, viewportNode } = content;
    const passive = { passive: true };
    for (const type of MOVES) {
      outerNode.addEventListener(type, this._onTouch, passive);
      panel.addEventListener(type, this._onMove, passive);
    }
    outerNode.addEventListener('scroll', this._onScroll, passive);
    this._observer.observe(viewportNode);
    this._observer.observe(outerNode);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Emitted when the user has scrolled. */
  get scrolled(): ISignal<this, void> {
    return this._scrolled;
  }

  /** Whether the end of the chat is out of view. */
  get isAway(): boolean {
    return this._isAway;
  }

  /** Emitted when that changes. */
  get awayChanged(): ISignal<this, void> {
    return this._awayChanged;
  }

  /** Scroll to the end of the chat, and stay there while it grows, until the user scrolls away. */
  stick(): void {
    this._sticks = true;
    this._shown = null;
    this._range = null;
    // Earlier user actions do not end it.
    this._touched = 0;
    this._options.content.scrollToBottom();
  }

  /** Scroll to the beginning of a cell, and stay there. */
  reveal(cell: Cell): void {
    this._sticks = false;
    this._shown = cell;
    this._range = null;
    this._touched = 0;
    this._options.content.draw(cell);
    cell.node.scrollIntoView({ block: 'start' });
  }

  /** Scroll by a distance; the view then no longer follows the beginning of a cell. */
  go(pixels: number): void {
    this._shown = null;
    this._range = null;
    this._options.content.outerNode.scrollTop += pixels;
  }

  /** Scroll until a range is in view, and stay there. */
  show(range: AbstractRange): void {
    this._sticks = false;
    this._shown = null;
    this._range = range;
    this._touched = 0;
    bringIntoView(range, this._options.content.outerNode);
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    const { content, panel } = this._options;
    for (const type of MOVES) {
      content.outerNode.removeEventListener(type, this._onTouch);
      panel.removeEventListener(type, this._onMove);
    }
    content.outerNode.removeEventListener('scroll', this._onScroll);
    this._observer.disconnect();
    Signal.clearData(this);
  }

  /** Whether a place other than the end was asked for, and the user has not left it. */
  get isElsewhere(): boolean {
    return this._shown !== null || this._range !== null;
  }

  private _onTouch = (): void => {
    this._touched = Date.now();
  };

  /** A search leaves the cell; typing in the composer does not. */
  private _onMove = ({ target }: Event): void => {
    if (!this._options.composer.contains(target as Node)) {
      this._shown = null;
      this._range = null;
    }
  };

  private _onScroll = (): void => {
    const { content } = this._options;
    const byUser = Date.now() - this._touched < TOUCH_MS;
    const { scrollTop } = content.outerNode;
    // Search and others scroll too; late layout changes never move the view far up.
    const wentUp = this._top - scrollTop > AWAY_PX;
    this._top = scrollTop;
    // While few cells are drawn, the cell that is shown may be at the end.
    if (content.atBottom && !this._shown && !this._range) {
      this._sticks = true;
    } else if (byUser || wentUp) {
      this._sticks = false;
    }
    if (byUser) {
      this._scrolled.emit();
    }
    this._look();
  };

  private _onResize(): void {
    if (this._sticks) {
      this._options.content.scrollToBottom();
    } else if (this._shown) {
      // Keep its position when cells above it are drawn.
      this._shown.node.scrollIntoView({ block: 'start' });
    } else if (this._range && isThere(this._range)) {
      bringIntoView(this._range, this._options.content.outerNode);
    }
    this._look();
  }

  private _look(): void {
    const isAway = !this._options.content.atBottom;
    if (isAway !== this._isAway) {
      this._isAway = isAway;
      this._awayChanged.emit();
    }
  }

  private _awayChanged = new Signal<this, void>(this);
  private _isAway = false;
  private _isDisposed = false;
  private _observer = new ResizeObserver(() => this._onResize());
  private _options: Scrolling.IOptions;
  /** The range that is shown until the user scrolls. */
  private _range: AbstractRange | null = null;
  private _scrolled = new Signal<this, void>(this);
  /** The cell whose beginning is shown until the user scrolls. */
  private _shown: Cell | null = null;
  private _sticks = false;
  private _top = 0;
  private _touched = 0;
}

/** Whether a range is still in the page. */
function isThere(range: AbstractRange): boolean {
  const { startContainer: start, endContainer: end } = range;
  const last = end instanceof Text ? end.length : end.childNodes.length;
  return start.isConnected && end.isConnected && range.endOffset <= last;
}

/** Scroll all that scrolls between a range and an outer element, as far as needed. */
function bringIntoView(range: AbstractRange, outer: HTMLElement): void {
  const place = document.createRange();
  place.setStart(range.startContainer, range.startOffset);
  place.setEnd(range.endContainer, range.endOffset);
  const parent = range.startContainer.parentElement;
  // It may be code behind its diagram.
  parent?.dispatchEvent(new Event(UNCOVER, { bubbles: true }));
  let details = parent?.closest('details');
  while (details) {
    details.open = true;
    details = details.parentElement?.closest('details');
  }
  for (let node = parent; node; node = node.parentElement) {
    if (node === outer || node.scrollWidth > node.clientWidth) {
      const box = place.getBoundingClientRect();
      const view = node.getBoundingClientRect();
      node.scrollLeft += beyond(box.left, box.right, view.left, view.right);
      node.scrollTop += beyond(box.top, box.bottom, view.top, view.bottom);
    }
    if (node === outer) {
      return;
    }
  }
}

/** How far to scroll so that what is outside of a view comes to a third of it. */
function beyond(start: number, end: number, from: number, to: number): number {
  return start < from || end > to ? start - from - (to - from) / 3 : 0;
}

/**
 * The namespace for `Scrolling` statics.
 */
export namespace Scrolling {
  export interface IOptions {
    content: ChatNotebook;
    /** The whole view of the chat. */
    panel: HTMLElement;
    /** The composer's element. */
    composer: HTMLElement;
  }
}

/** The position of a pair's reply: its cell without the message. */
export function replyBox(cell: PairCell): { top: number; height: number } {
  const box = cell.node.getBoundingClientRect();
  const message = cell.inputArea?.node.getBoundingClientRect();
  const top = message?.bottom ?? box.top;
  return { top, height: box.bottom - top };
}
