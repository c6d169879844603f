import type { Budget } from '../../context/budget';
import type { ISendBudget } from '../../session/sendbudget';
import type { ChatNotebook } from './notebook';

/**
 * The marks of pairs that do not fit.
 *
 * Each key in the composer affects only a few pairs, so only those are updated.
 */
export class OutMarks {
  constructor(private _content: Pick<ChatNotebook, 'pair' | 'pairs'>) {}

  /**
   * Mark the pairs that are OUT.
   *
   * @param special - The budget of a send that uses cells other than the context.
   */
  show(budget: Budget, boundary: number, special: ISendBudget | null): void {
    const { pairs } = this._content;
    if (special) {
      // The next budget has nothing to be compared with.
      this._budget = null;
      for (const [id, cell] of pairs) {
        cell.ooc = special.isOut(id);
      }
    } else if (budget !== this._budget) {
      this._budget = budget;
      for (const [id, cell] of pairs) {
        cell.ooc = budget.isOut(id, boundary);
      }
    } else {
      for (const id of budget.moved(this._boundary, boundary)) {
        const cell = this._content.pair(id);
        if (cell) {
          cell.ooc = budget.isOut(id, boundary);
        }
      }
    }
    this._boundary = boundary;
  }

  private _boundary = 0;
  private _budget: Budget | null = null;
}
