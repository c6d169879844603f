import type { Cell } from '@jupyterlab/cells';
import type { IDisposable } from '@lumino/disposable';

import { isDrawn, isFiltered } from './sight';

/** How many cells on either side of the active one come before the others. */
const AROUND = 8;

/** How much of an idle moment must be left for one more cell to be drawn in it. */
const CELL_MS = 8;

/** How long the page may be busy before one more is drawn all the same. */
const IDLE_MS = 500;

/** How long after a key press nothing is drawn that can wait. */
const TYPING_MS = 700;

/**
 * Draws a long chat from its end, where it is read.
 *
 * The last screenful and the active cell come at once; when nobody needs the page, those around
 * the active cell come, and then all the earlier ones.
 */
export class Drawing implements IDisposable {
  constructor(private _options: Drawing.IOptions) {
    window.addEventListener('keydown', this._onKey, true);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Draw what has to be there now, and the rest when the page is idle. */
  begin(): void {
    const { active, cells, height } = this._options;
    const all = cells();
    let room = window.innerHeight;
    const missing = [active()].filter(place => isMissing(all[place]));
    for (let place = all.length - 1; room > 0 && place >= 0; place--) {
      if (!isFiltered(all[place])) {
        room -= height(all[place]);
        missing.push(place);
      }
    }
    missing.forEach(place => this._draw(place));
    this._pause();
    this._goOn(this._rest());
  }

  dispose(): void {
    this._isDisposed = true;
    window.removeEventListener('keydown', this._onKey, true);
    this._pause();
  }

  /** Draw cells when the page is idle, in this order. */
  private _goOn(places: Iterator<number>): void {
    let next = places.next();
    if (next.done) {
      return;
    }
    const typing = this._lastKey + TYPING_MS - Date.now();
    if (typing > 0) {
      // Whoever types needs every frame.
      this._timer = setTimeout(() => this._goOn(this._rest()), typing);
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

  /** The places of all cells that are still to be drawn. */
  private *_rest(): Generator<number> {
    const { active, cells } = this._options;
    if (active() !== -1) {
      yield* this._next(active(), 1, AROUND);
      yield* this._next(active(), -1, AROUND);
    }
    yield* this._next(cells().length, -1, Infinity);
  }

  /** The places of missing cells from another on, among so many that can be seen. */
  private *_next(from: number, step: 1 | -1, count: number): Generator<number> {
    let place = from + step;
    for (let seen = 0; seen < count; place += step) {
      const all = this._options.cells();
      // Cells come and go meanwhile.
      place = step < 0 ? Math.min(place, all.length - 1) : place;
      const cell = all[place];
      if (!cell) {
        return;
      }
      seen += isFiltered(cell) ? 0 : 1;
      if (isMissing(cell)) {
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

  private _idle = 0;
  private _isDisposed = false;
  private _lastKey = 0;
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
    /** How high a cell is, as far as one can tell before it is drawn. */
    height: (cell: Cell) => number;
    draw: (cell: Cell, place: number) => void;
  }
}

/** Whether a cell can be seen and is not drawn yet. */
function isMissing(cell: Cell | undefined): cell is Cell {
  return cell !== undefined && !isFiltered(cell) && !isDrawn(cell);
}
