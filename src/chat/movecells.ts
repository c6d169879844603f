import { Notification } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import type { TranslationBundle } from '@jupyterlab/translation';

import { isSettled } from '../document/lifecycle';
import { keepsLocked, moveCells } from '../document/moving';
import { PairCell } from './cells/cell';
import { isFiltered } from './notebook/sight';
import { chosenCells, editingWords } from './pairactions';
import type { ChatPanel } from './panel';

/** How long a refusal is shown. */
const REFUSED_MS = 5000;

/** Move the selected cells past the next visible one. */
export function moveChosen(
  panel: ChatPanel,
  step: 1 | -1,
  trans: TranslationBundle
): void {
  const cells = chosenCells(panel);
  const { widgets } = panel.content;
  if (!cells.length) {
    return;
  }
  const end = step === 1 ? cells[cells.length - 1] : cells[0];
  const next = nextVisible(widgets, widgets.indexOf(end), step);
  if (next === -1) {
    return;
  }
  const before = step === 1 ? (widgets[next + 1] ?? null) : widgets[next];
  moveBefore(panel, cells, before, trans);
}

/** Move cells in front of another one, or say why they cannot be moved. */
export function moveBefore(
  panel: ChatPanel,
  cells: readonly Cell[],
  before: Cell | null,
  trans: TranslationBundle
): void {
  const { content } = panel;
  const notebook = content.model!.sharedModel;
  const moved = cells.map(({ model }) => model.id);
  const anchor = before?.model.id ?? null;
  const refusal = keepsLocked(notebook, moved, anchor)
    ? underWay(cells, trans)
    : trans.__(
        'The cells that came with a replay are locked and stay in their order. Unlock them to move cells there.'
      );
  if (refusal) {
    Notification.info(refusal, { autoClose: REFUSED_MS });
    return;
  }
  const active = content.activeCell?.model.id;
  moveCells(notebook, moved, anchor);
  const places = content.widgets.flatMap((cell, index) =>
    moved.includes(cell.model.id) ? [index] : []
  );
  const last = places[places.length - 1];
  content.deselectAll();
  content.activeCellIndex = places[0];
  if (last > places[0]) {
    content.extendContiguousSelectionTo(last);
  } else if (active && moved.includes(active)) {
    content.activeCellIndex = last;
  }
  panel.enterView();
  const { activeCell } = content;
  if (activeCell) {
    content.draw(activeCell);
    activeCell.node.scrollIntoView({ block: 'nearest' });
  }
}

/** Why cells cannot be moved now; null if they can. */
function underWay(
  cells: readonly Cell[],
  trans: TranslationBundle
): string | null {
  const pairs = cells.filter(cell => cell instanceof PairCell);
  const editing = pairs.find(cell => cell.isEditing);
  if (editing) {
    return editingWords(editing, trans);
  }
  // A reply lands in its cell, which moving makes again.
  return pairs.some(
    ({ live, pair: { run } }) => live || (run && !isSettled(run.state))
  )
    ? trans.__('This reply is in progress: wait for it or stop it, then move.')
    : null;
}

/** The index of the next visible cell in a direction; -1 if there is none. */
function nextVisible(
  cells: readonly Cell[],
  from: number,
  step: 1 | -1
): number {
  let index = from + step;
  while (cells[index] && isFiltered(cells[index])) {
    index += step;
  }
  return cells[index] ? index : -1;
}
