import type { Cell } from '@jupyterlab/cells';

import { isFiltered, showFiltered, type ISeenCell } from '../notebook/sight';
import { CellName, type INamedCell } from './cellname';

// A mixin's constructor must take any arguments.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Constructor<T> = new (...args: any[]) => T;

/** Turn one of JupyterLab's cell classes into one that only the filter can hide. */
export function filteredCell<T extends Constructor<Cell>>(
  Base: T
): T & Constructor<ISeenCell & INamedCell> {
  return class extends Base implements ISeenCell, INamedCell {
    isFilteredOut = false;

    readonly cellName = new CellName(this.node);

    override get isHidden(): boolean {
      return isFiltered(this) || super.isHidden;
    }

    override isPlaceholder(): boolean {
      return !isFiltered(this) && super.isPlaceholder();
    }

    /** Marks of the plain notebook that hide text are ignored in a chat, and never written. */
    override get inputHidden(): boolean {
      return false;
    }
    override set inputHidden(_: boolean) {
      return;
    }

    /** In a plain notebook a collapsed heading would hide it. */
    override hide(): void {
      return;
    }

    protected override initializeDOM(): void {
      super.initializeDOM();
      showFiltered(this);
    }
  };
}
