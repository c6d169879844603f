import type { IDisposable } from '@lumino/disposable';

/** The events by which a user scrolls away. */
const MOVES = ['wheel', 'touchmove', 'keydown', 'pointerdown'];

/**
 * Keeps the end of a scrolled element in view until the user scrolls: cells get their sizes late,
 * and more may arrive.
 */
export class LatestInSight implements IDisposable {
  /** @param outer - The element that scrolls. ^ @param inner - Its content, whose size changes. */
  constructor(
    private _outer: HTMLElement,
    inner: HTMLElement
  ) {
    for (const type of MOVES) {
      _outer.addEventListener(type, this._onMove, { passive: true });
    }
    this._observer.observe(inner);
    this._observer.observe(_outer);
  }

  /** Whether the end is kept in view. */
  get isKept(): boolean {
    return this._isKept;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    this._observer.disconnect();
    for (const type of MOVES) {
      this._outer.removeEventListener(type, this._onMove);
    }
  }

  private _onMove = (): void => {
    this._isKept = false;
  };

  private _isDisposed = false;
  private _isKept = true;
  private _observer = new ResizeObserver(() => {
    if (this._isKept) {
      this._outer.scrollTop = this._outer.scrollHeight;
    }
  });
}
