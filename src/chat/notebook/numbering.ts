import type { Cell } from '@jupyterlab/cells';

import { isNamed } from '../cells/cellname';
import { isDrawn, isFiltered } from './sight';

/**
 * Numbers the visible messages, for the names of their cells.
 *
 * They are counted again only after cells came, went or were filtered, and only drawn cells learn
 * of it.
 */
export class Numbering {
  /** Count again at the next update. */
  invalidate(): void {
    this._isValid = false;
  }

  /** Tell the drawn cells their numbers, if those may have changed. */
  update(cells: readonly Cell[]): void {
    if (this._isValid) {
      return;
    }
    this._isValid = true;
    this._numbers = new Uint32Array(cells.length);
    this._count = 0;
    cells.forEach((cell, index) => {
      if (cell.model.type === 'code' && !isFiltered(cell)) {
        this._numbers[index] = ++this._count;
      }
    });
    cells.forEach((cell, index) => {
      if (isDrawn(cell)) {
        this.tell(cell, index);
      }
    });
  }

  /** Tell a cell its number. */
  tell(cell: Cell, index: number): void {
    const number = this._numbers[index];
    if (this._isValid && number && isNamed(cell)) {
      cell.cellName.place = { number, count: this._count };
    }
  }

  private _count = 0;
  private _isValid = false;
  private _numbers = new Uint32Array();
}
