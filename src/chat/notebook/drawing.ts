import type { Cell } from '@jupyterlab/cells';
import type { IDisposable } from '@lumino/disposable';

import { isDrawn, isFiltered } from './sight';

/** How many cells are drawn at a time when the view comes near a missing one. */
const STEP = 12;

/** A chat with at most this many cells is drawn completely. */
const SHORT = 100;

/** What counts as near: this many heights of the view. */
const NEAR = '100% 0px';

/** How many milliseconds of an idle period must be left to draw another cell in it. */
const CELL_MS = 8;

/** How many milliseconds are spent at a time on cells that are missing in sight. */
const SEEN_MS = 30;

/** How long the page may be busy before another cell is drawn anyway. */
const IDLE_MS = 1000;

/** The events that mean the user is typing; not every input method presses keys. */
const TYPING = ['keydown', 'input'];

/** How long after a key press drawing is postponed. */
const TYPING_MS = 700;

/**
 * Draws those cells of a long chat that are looked at.
 *
 * The last screenful and the active cell are drawn at once. When the view comes near a place where
 * cells are missing, more are drawn there while the page is idle, or right away if that place is in
 * sight: a busy page may not be idle for long. The others wait: each drawn cell makes every frame a
 * little slower.
 */
export class Drawing implements IDisposable {
  constructor(private _options: Drawing.IOptions) {
    TYPING.forEach(type => window.addEventListener(type, this._onKey, true));
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Draw what is needed now, and more when the page is idle. */
  begin(): void {
    const { active, cells, height, view } = this._options;
    const all = cells();
    let room = view().clientHeight || window.innerHeight;
    const missing = [active()].filter(place => isMissing(all[place]));
    for (let place = all.length - 1; room > 0 && place >= 0; place--) {
      if (!isFiltered(all[place])) {
        room -= height(all[place]);
        missing.push(place);
      }
    }
    missing.forEach(place => this._draw(place));
    this._watch();
  }

  dispose(): void {
    this._isDisposed = true;
    TYPING.forEach(type => window.removeEventListener(type, this._onKey, true));
    this._pause();
    this._observer?.disconnect();
  }

  /** Observe the drawn cells next to missing ones. */
  private _watch(): void {
    this._pause();
    const before = [...this._ends.values()];
    this._ends.clear();
    this._observer ??= new IntersectionObserver(
      entries => this._onNear(entries),
      { root: this._options.view(), rootMargin: NEAR }
    );
    this._observer.disconnect();
    let last: Cell | null = null;
    let count = 0;
    for (const cell of this._options.cells()) {
      if (isFiltered(cell)) {
        continue;
      }
      count++;
      if (last && isDrawn(last) !== isDrawn(cell)) {
        const [end, step]: [Cell, Step] = isDrawn(cell)
          ? [cell, -1]
          : [last, 1];
        const { steps } = this._ends.get(end.node) ?? { steps: [] };
        this._ends.set(end.node, { cell: end, steps: [...steps, step] });
      }
      last = cell;
    }
    // Mark gaps, so that cells with missing ones between them do not look like neighbours.
    before.forEach(({ cell }) => this._options.gap(cell, false));
    for (const { cell, steps } of this._ends.values()) {
      this._options.gap(cell, steps.includes(1));
    }
    if (count <= SHORT && this._ends.size) {
      this._goOn(this._beyond([...this._ends.values()]));
      return;
    }
    for (const node of this._ends.keys()) {
      this._observer.observe(node);
    }
  }

  private _onNear(entries: readonly IntersectionObserverEntry[]): void {
    const ends = entries
      .filter(({ isIntersecting }) => isIntersecting)
      .flatMap(({ target }) => this._ends.get(target) ?? []);
    if (ends.length) {
      this._pause();
      const view = this._options.view().getBoundingClientRect();
      const seen = ends.filter(end => isSeen(end, view));
      if (seen.length) {
        this._catchUp(this._beyond(seen));
      } else {
        this._goOn(this._beyond(ends));
      }
    }
  }

  /** Draw cells that are missing in sight, without blocking the page for long, then look again. */
  private _catchUp(places: Iterator<number>): void {
    if (this._waitForTyping()) {
      return;
    }
    this._timer = setTimeout(() => {
      const until = performance.now() + SEEN_MS;
      do {
        const next = places.next();
        if (next.done) {
          this._watch();
          return;
        }
        this._draw(next.value);
      } while (performance.now() < until);
      this._catchUp(places);
    });
  }

  /** Whether the user is typing: every frame counts, and drawing goes on later. */
  private _waitForTyping(): boolean {
    const typing = this._lastKey + TYPING_MS - Date.now();
    if (typing > 0) {
      this._timer = setTimeout(() => this._watch(), typing);
    }
    return typing > 0;
  }

  /** Draw cells when the page is idle, in this order, then look again. */
  private _goOn(places: Iterator<number>): void {
    if (this._waitForTyping()) {
      return;
    }
    let next = places.next();
    if (next.done) {
      this._watch();
      return;
    }
    this._idle = requestIdleCallback(
      deadline => {
        while (!next.done) {
          this._draw(next.value);
          if (deadline.timeRemaining() < CELL_MS) {
            break;
          }
          next = places.next();
        }
        this._goOn(places);
      },
      { timeout: IDLE_MS }
    );
  }

  /** The indices of the next missing cells beyond the ends of what is drawn. */
  private *_beyond(ends: readonly IEnd[]): Generator<number> {
    for (const { cell, steps } of ends) {
      for (const step of steps) {
        yield* this._missing(this._options.cells().indexOf(cell), step);
      }
    }
  }

  private *_missing(from: number, step: Step): Generator<number> {
    let place = from + step;
    for (let count = 0; count < STEP; place += step) {
      // Cells may have been added or removed in the meantime.
      const cell = this._options.cells()[place];
      if (!cell || isDrawn(cell)) {
        return;
      }
      if (!isFiltered(cell)) {
        count++;
        yield place;
      }
    }
  }

  private _pause(): void {
    cancelIdleCallback(this._idle);
    clearTimeout(this._timer);
  }

  private _draw(place: number): void {
    const cell = this._options.cells()[place];
    if (isMissing(cell)) {
      this._options.draw(cell, place);
    }
  }

  /** The drawn cells next to a missing one. */
  private _ends = new Map<Element, IEnd>();
  private _idle = 0;
  private _isDisposed = false;
  private _lastKey = 0;
  private _observer: IntersectionObserver | null = null;
  private _onKey = () => {
    this._lastKey = Date.now();
  };
  private _timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * The namespace for `Drawing` statics.
 */
export namespace Drawing {
  export interface IOptions {
    cells: () => readonly Cell[];
    /** The index of the active cell; -1 if there is none. */
    active: () => number;
    /** The element in which the cells scroll. */
    view: () => Element;
    /** The estimated height of a cell. */
    height: (cell: Cell) => number;
    draw: (cell: Cell, place: number) => void;
    /** Mark whether cells are missing after this one. */
    gap: (cell: Cell, isGap: boolean) => void;
  }
}

/** Whether a cell passes the filter but is not drawn yet. */
function isMissing(cell: Cell | undefined): cell is Cell {
  return cell !== undefined && !isFiltered(cell) && !isDrawn(cell);
}

/** Whether the place where cells are missing is in the view; the end is near it. */
function isSeen({ cell, steps }: IEnd, view: DOMRect): boolean {
  const { top, bottom } = cell.node.getBoundingClientRect();
  return steps.some(step => (step > 0 ? bottom < view.bottom : top > view.top));
}

/** Towards the next cell or the previous one. */
type Step = 1 | -1;

interface IEnd {
  cell: Cell;
  /** On which sides cells are missing. */
  steps: readonly Step[];
}
