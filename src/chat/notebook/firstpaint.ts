/** How many cells a chat has whose end is painted before all its cells are read. */
const LONG = 100;

/**
 * Says when the end of a long chat is painted for the first time.
 *
 * All cells are read for the budget and the counter. Nobody can have filtered a chat that is not seen
 * yet, so that can wait.
 */
export class FirstPaint {
  constructor(
    private _options: {
      count: () => number;
      isFiltered: () => boolean;
      isDisposed: () => boolean;
      onPainted: () => void;
    }
  ) {}

  /** Whether what takes long should wait. */
  get isAwaited(): boolean {
    const { count, isFiltered } = this._options;
    return !this._isPainted && !isFiltered() && count() > LONG;
  }

  /** The chat is being revealed. */
  begin(): void {
    // A page in the background paints nothing.
    const painted = document.hidden ? setTimeout : requestAnimationFrame;
    painted(() =>
      setTimeout(() => {
        this._isPainted = true;
        if (!this._options.isDisposed()) {
          this._options.onPainted();
        }
      })
    );
  }

  private _isPainted = false;
}
