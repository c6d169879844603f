/**
 * What of the visible cells fits into the model's window.
 */

/** How many tokens are kept free for the reply. */
export const RESPONSE_RESERVE = 800;

/** A visible cell that would be sent. */
export interface IBudgetItem {
  id: string;
  kind: 'system' | 'pair';
  tokens: number;
}

/** What a request must stay within. */
export interface IBudgetLimits {
  /** All the tokens that the model can take. */
  window: number;
  /** The part of the window that requests may fill. */
  softCap: number;
  /** Tokens kept free for the reply. */
  reserve: number;
}

/** How a request with a message of a given size stands. */
export interface IBudgetState extends IBudgetLimits {
  /** The place among the visible pairs of the first that is included; all before it are OUT. */
  boundary: number;
  /** The id of that pair; null when none is included. */
  first: string | null;
  /** How many pairs are included: X of `X / Y`. */
  included: number;
  /** How many pairs are visible: Y of `X / Y`. */
  visible: number;
  /** The tokens that would be sent; the reserve is not among them. */
  total: number;
  /** The tokens of each part. */
  parts: { system: number; history: number; message: number };
  /** Whether what would be sent is too long even with all pairs OUT. Nothing is blocked by it. */
  overfull: boolean;
}

/**
 * The budget of one context.
 *
 * System cells and the new message count first, then pairs from newest to oldest; the first
 * that does not fit and all before it are OUT. Made once when the context changes; after that
 * the cost of a key press grows with the logarithm of the number of pairs.
 */
export class Budget {
  constructor(items: Iterable<IBudgetItem>, limits: IBudgetLimits) {
    this.limits = limits;
    const sums = [0];
    for (const { id, kind, tokens } of items) {
      const size = tokens > 0 ? tokens : 0;
      if (kind === 'system') {
        this._system += size;
      } else {
        this._place.set(id, this._ids.length);
        this._ids.push(id);
        sums.push(sums[sums.length - 1] + size);
      }
    }
    this._sums = Float64Array.from(sums);
  }

  /** What this budget stays within. */
  readonly limits: IBudgetLimits;

  /** The ids of the visible pairs, in order. */
  get pairs(): readonly string[] {
    return this._ids;
  }

  /** The place of the first included pair beside a message of `message` tokens. */
  boundary(message: number): number {
    const free = this._free(message);
    // The newest pairs that fit: the smallest place from which on the sum is within `free`.
    let low = 0;
    let high = this._ids.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this._history(middle) <= free) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** How a request with a message of `message` tokens stands. */
  at(message: number): IBudgetState {
    const boundary = this.boundary(message);
    const parts = {
      system: this._system,
      history: this._history(boundary),
      message
    };
    return {
      ...this.limits,
      boundary,
      first: this._ids[boundary] ?? null,
      included: this._ids.length - boundary,
      visible: this._ids.length,
      total: parts.system + parts.history + parts.message,
      parts,
      overfull: this._free(message) < 0
    };
  }

  /** Whether a pair is OUT when the boundary is at `boundary`; false for cells that are no visible pairs. */
  isOut(id: string, boundary: number): boolean {
    const place = this._place.get(id);
    return place !== undefined && place < boundary;
  }

  /** The ids of the pairs that are OUT when the boundary is at `boundary`. */
  out(boundary: number): string[] {
    return this._ids.slice(0, boundary);
  }

  /** The ids of the pairs whose mark changes when the boundary moves, and no others. */
  moved(before: number, after: number): string[] {
    return this._ids.slice(Math.min(before, after), Math.max(before, after));
  }

  private _free(message: number): number {
    const { softCap, reserve } = this.limits;
    return softCap - reserve - this._system - message;
  }

  private _history(boundary: number): number {
    return this._sums[this._ids.length] - this._sums[boundary];
  }

  private _ids: string[] = [];
  private _place = new Map<string, number>();
  /** The tokens of all pairs before a place. */
  private _sums: Float64Array;
  private _system = 0;
}
