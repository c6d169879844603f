/** The positions of rows in a long list, and which of them are rendered. */

/** The rows from `first` up to but excluding `end`. */
export interface IRowRange {
  first: number;
  end: number;
}

/** The heights of rows: measured for those that were rendered, estimated for the others. */
export class RowHeights {
  constructor(private _guess: number) {}

  /** The rows of the list, in order. */
  get ids(): readonly string[] {
    return this._ids;
  }
  set ids(ids: readonly string[]) {
    if (ids !== this._ids) {
      this._ids = ids;
      this._isStale = true;
    }
  }

  /** The height of all rows. */
  get total(): number {
    return this.top(this._ids.length);
  }

  /** Where a row starts; the index after the last row gives the end of the list. */
  top(index: number): number {
    return this._tops()[index];
  }

  /** Record the rendered height of a row; return by how much it grew. */
  measure(id: string, height: number): number {
    const before = this._known.get(id) ?? this._guess;
    this._known.set(id, height);
    if (height !== before) {
      this._isStale = true;
    }
    return height - before;
  }

  /**
   * Estimate the others from the first rendered rows, once, so that the list does not jump later.
   */
  learn(): void {
    if (!this._hasLearned && this._known.size) {
      this._hasLearned = true;
      const sum = [...this._known.values()].reduce((a, b) => a + b, 0);
      this._guess = Math.round(sum / this._known.size);
      this._isStale = true;
    }
  }

  /** The row at a vertical position, as the first row that ends below it. */
  at(y: number): number {
    const tops = this._tops();
    let low = 0;
    let high = this._ids.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tops[middle + 1] > y) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return Math.max(0, low);
  }

  /** The rows that are visible in a window, and `beyond` more on either side. */
  range(y: number, height: number, beyond: number): IRowRange {
    const count = this._ids.length;
    if (!count) {
      return { first: 0, end: 0 };
    }
    return {
      first: Math.max(0, this.at(y) - beyond),
      end: Math.min(count, this.at(y + height) + 1 + beyond)
    };
  }

  /** Called in every frame while scrolling, so it must not create garbage. */
  private _tops(): Float64Array {
    if (this._isStale) {
      this._isStale = false;
      const ids = this._ids;
      if (this._offsets.length !== ids.length + 1) {
        this._offsets = new Float64Array(ids.length + 1);
      }
      let top = 0;
      for (let index = 0; index < ids.length; index++) {
        top += this._known.get(ids[index]) ?? this._guess;
        this._offsets[index + 1] = top;
      }
    }
    return this._offsets;
  }

  private _hasLearned = false;
  private _ids: readonly string[] = [];
  private _known = new Map<string, number>();
  private _isStale = true;
  private _offsets = new Float64Array(1);
}
