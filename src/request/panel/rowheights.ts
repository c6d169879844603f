/**
 * Where the rows of a long list stand, and which of them are drawn.
 */

/** The rows from `first` up to and without `end`. */
export interface IRowRange {
  first: number;
  end: number;
}

/**
 * The heights of rows, known for those that were drawn and guessed for the others.
 */
export class RowHeights {
  constructor(private _guess: number) {}

  /** The rows of the list, in order. */
  get ids(): readonly string[] {
    return this._ids;
  }
  set ids(ids: readonly string[]) {
    if (ids !== this._ids) {
      this._ids = ids;
      this._offsets = null;
    }
  }

  /** The height of all rows. */
  get total(): number {
    return this.top(this._ids.length);
  }

  /** Where a row begins; the row behind the last one begins at the end. */
  top(index: number): number {
    return this._tops()[index];
  }

  /** Take down how high a row was drawn; answers by how much it grew. */
  measure(id: string, height: number): number {
    const before = this._known.get(id) ?? this._guess;
    this._known.set(id, height);
    if (height !== before) {
      this._offsets = null;
    }
    return height - before;
  }

  /** Guess the others from the first rows that were drawn; later the list must not jump any more. */
  learn(): void {
    if (!this._hasLearned && this._known.size) {
      this._hasLearned = true;
      const sum = [...this._known.values()].reduce((a, b) => a + b, 0);
      this._guess = Math.round(sum / this._known.size);
      this._offsets = null;
    }
  }

  /** The row at a height, as the first row that ends below it. */
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

  /** The rows that can be seen in a window, and `beyond` more on either side. */
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

  private _tops(): Float64Array {
    if (!this._offsets) {
      const tops = new Float64Array(this._ids.length + 1);
      for (const [index, id] of this._ids.entries()) {
        tops[index + 1] = tops[index] + (this._known.get(id) ?? this._guess);
      }
      this._offsets = tops;
    }
    return this._offsets;
  }

  private _hasLearned = false;
  private _ids: readonly string[] = [];
  private _known = new Map<string, number>();
  private _offsets: Float64Array | null = null;
}
