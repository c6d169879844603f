import { isSettled } from '../document/lifecycle';
import type { PairState } from '../document/metadata';

/** Pairs that were sent under the filter in force and that it does not match. */
export interface INewPairs {
  /** How many are visible all the same, and so in the context. */
  shown: number;
  /** How many are hidden, and so not in the context. */
  hidden: number;
}

/**
 * Keeps pairs visible that were just sent, whatever the filter says.
 *
 * What is visible is the context, so they belong to it until the user hides them or changes the
 * filter. Once a reply has landed and the filter matches, the filter alone decides: `last:20` stays
 * at 20.
 */
export class NewPairs {
  /** A pair was sent. */
  add(id: string): void {
    this._shows.set(id, true);
  }

  /** Another filter is in force: it decides, and what is still under way is not lost from sight. */
  onFilter(isUnderWay: (id: string) => boolean): void {
    for (const id of [...this._shows.keys()]) {
      if (isUnderWay(id)) {
        this._shows.set(id, false);
      } else {
        this._shows.delete(id);
      }
    }
  }

  /** Show or hide all of them. */
  set isShown(isShown: boolean) {
    for (const id of this._shows.keys()) {
      this._shows.set(id, isShown);
    }
  }

  /** Make them visible beside what the filter matches. */
  reveal(
    pairs: readonly { id: string; state: PairState }[],
    visible: Uint8Array
  ): INewPairs {
    const found = { shown: 0, hidden: 0 };
    if (this._shows.size === 0) {
      return found;
    }
    pairs.forEach((pair, index) => {
      const { id } = pair;
      const shows = this._shows.get(id);
      if (shows === undefined) {
        return;
      }
      if (visible[index]) {
        // Reading a pair takes time, so only those in question are.
        if (isSettled(pair.state)) {
          this._shows.delete(id);
        }
        return;
      }
      visible[index] = shows ? 1 : 0;
      found[shows ? 'shown' : 'hidden']++;
    });
    return found;
  }

  private _shows = new Map<string, boolean>();
}
