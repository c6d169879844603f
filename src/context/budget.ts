/** Which of the visible cells fit into the model's window. */

/** How many tokens are reserved for the reply. */
export const RESPONSE_RESERVE = 800;

/** A visible cell that would be sent, or the options that count beside the messages. */
export interface IBudgetItem {
  id: string;
  kind: 'system' | 'pair' | 'options';
  tokens: number;
}

/** The limits of a request. */
export interface IBudgetLimits {
  /** The context window of the model, in tokens. */
  window: number;
  /** The part of the window that requests may use. */
  softCap: number;
  /** Tokens reserved for the reply. */
  reserve: number;
}

/** The budget of a request with a message of a given size. */
export interface IBudgetState extends IBudgetLimits {
  /** The index of the first included pair among the visible pairs; all before it are OUT. */
  boundary: number;
  /** The id of that pair; null if none is included. */
  first: string | null;
  /** How many pairs are included: X of `X / Y`. */
  included: number;
  /** How many pairs are visible: Y of `X / Y`. */
  visible: number;
  /** The tokens that would be sent, without the reserve. */
  total: number;
  /** The tokens of each part. */
  parts: { system: number; options: number; history: number; message: number };
  /** Whether the request is too long even with all pairs OUT. This does not prevent sending. */
  overfull: boolean;
}

/**
 * The budget of one context.
 *
 * System cells, options and the new message count first, then pairs from newest to oldest; the first that
 * does not fit and all before it are OUT. It is built once when the context changes; after that,
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
      } else if (kind === 'options') {
        this._options += size;
      } else {
        this._place.set(id, this._ids.length);
        this._ids.push(id);
        sums.push(sums[sums.length - 1] + size);
      }
    }
    this._sums = Float64Array.from(sums);
  }

  /** The limits of this budget. */
  readonly limits: IBudgetLimits;

  /** The ids of the visible pairs, in order. */
  get pairs(): readonly string[] {
    return this._ids;
  }

  /** The index of the first included pair for a message of `message` tokens. */
  boundary(message: number): number {
    const free = this._free(message);
    // The newest pairs that fit: the smallest index from which the sum is within `free`.
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

  /** The budget with a message of `message` tokens. */
  at(message: number): IBudgetState {
    const boundary = this.boundary(message);
    const parts = {
      system: this._system,
      options: this._options,
      history: this._history(boundary),
      message
    };
    return {
      ...this.limits,
      boundary,
      first: this._ids[boundary] ?? null,
      included: this._ids.length - boundary,
      visible: this._ids.length,
      total: parts.system + parts.options + parts.history + parts.message,
      parts,
      overfull: this._free(message) < 0
    };
  }

  /** Whether a pair is OUT with this boundary; false for anything but visible pairs. */
  isOut(id: string, boundary: number): boolean {
    const place = this._place.get(id);
    return place !== undefined && place < boundary;
  }

  /** The ids of the pairs that are OUT with this boundary. */
  out(boundary: number): string[] {
    return this._ids.slice(0, boundary);
  }

  /** The ids of the pairs whose mark changes when the boundary moves. */
  moved(before: number, after: number): string[] {
    return this._ids.slice(Math.min(before, after), Math.max(before, after));
  }

  private _free(message: number): number {
    const { softCap, reserve } = this.limits;
    return softCap - reserve - this._system - this._options - message;
  }

  private _history(boundary: number): number {
    return this._sums[this._ids.length] - this._sums[boundary];
  }

  private _ids: string[] = [];
  private _options = 0;
  private _place = new Map<string, number>();
  /** The tokens of all pairs before an index. */
  private _sums: Float64Array;
  private _system = 0;
}
