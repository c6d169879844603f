import type { Cell } from '@jupyterlab/cells';
import type { IDisposable } from '@lumino/disposable';

import { isDrawn, isFiltered } from './sight';

/** How many cells are drawn at a time where the view comes near to one that is missing. */
const STEP = 12;

/** A chat of so many cells is drawn whole. */
const SHORT = 100;

/** How near that is: so many heights of the view. */
const NEAR = '100% 0px';

/** How much of an idle moment must be left for one more cell to be drawn in it. */
const CELL_MS = 8;

/** How long the page may be busy before one more is drawn all the same. */
const IDLE_MS = 1000;

/** What tells that somebody types; not every way to write presses keys. */
const TYPING = ['keydown', 'input'];

/** How long after a key press nothing is drawn that can wait. */
const TYPING_MS = 700;

/**
 * Draws of a long chat what is looked at.
 *
 * The last screenful and the active cell come at once. In a long chat, where the view comes near to
 * a place at which cells are missing, some more are drawn there when nobody needs the page. The
 * others wait: each cell that is drawn makes every frame a little slower.
 */
export class Drawing implements IDisposable {
  constructor(private _options: Drawing.IOptions) {
    TYPING.forEach(type => window.addEventListener(type, this._onKey, true));
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Draw what has to be there now, and more when the page is idle. */
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

  /** Watch the drawn cells beside which one is missing. */
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
    // Nobody should take two cells for neighbours that are none.
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
      this._goOn(this._beyond(ends));
    }
  }

  /** Draw cells when the page is idle, in this order, and then look again. */
  private _goOn(places: Iterator<number>): void {
    const typing = this._lastKey + TYPING_MS - Date.now();
    if (typing > 0) {
      // Whoever types needs every frame.
      this._timer = setTimeout(() => this._watch(), typing);
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

  /** The places of the next missing cells beyond the ends of what is drawn. */
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
      // Cells come and go meanwhile.
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

  /** The drawn cells that have a missing one beside them. */
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
  /** What there is to draw, and how it is done. */
  export interface IOptions {
    cells: () => readonly Cell[];
    /** The place of the active cell; -1 if there is none. */
    active: () => number;
    /** What the cells scroll in. */
    view: () => Element;
    /** How high a cell is, as far as one can tell before it is drawn. */
    height: (cell: Cell) => number;
    draw: (cell: Cell, place: number) => void;
    /** Show that cells are missing after this one, or no longer. */
    gap: (cell: Cell, isGap: boolean) => void;
  }
}

/** Whether a cell can be seen and is not drawn yet. */
function isMissing(cell: Cell | undefined): cell is Cell {
  return cell !== undefined && !isFiltered(cell) && !isDrawn(cell);
}

/** To the next cell or to the one before. */
type Step = 1 | -1;

interface IEnd {
  cell: Cell;
  /** Where cells are missing beside it. */
  steps: readonly Step[];
}
