import type { IDisposable } from '@lumino/disposable';

/** What the user does to look at something else. */
const MOVES = ['wheel', 'touchmove', 'keydown', 'pointerdown'];

/**
 * Keeps the end of what scrolls in sight until the user moves: cells get their sizes late, and
 * more of them may come.
 */
export class LatestInSight implements IDisposable {
  /**
   * @param outer - What scrolls.
   * @param inner - What is in it, whose size changes.
   */
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

  /** Whether the end is kept in sight. */
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
