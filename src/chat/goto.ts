import type { ChatPanel } from './panel';

/**
 * Activate a cell of a chat and scroll to its beginning.
 *
 * @param focus - Whether the chat's cells get the focus too.
 * @returns Whether the chat has the cell.
 */
export function goToCell(panel: ChatPanel, id: string, focus = true): boolean {
  const { content } = panel;
  const index = content.widgets.findIndex(cell => cell.model.id === id);
  if (index === -1) {
    return false;
  }
  content.activeCellIndex = index;
  content.deselectAll();
  if (focus) {
    panel.enterView();
  }
  content.pair(id)?.unfold();
  panel.reveal(content.widgets[index]);
  return true;
}
