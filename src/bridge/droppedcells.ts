import { Cell } from '@jupyterlab/cells';
import { NotebookPanel } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';

import { acceptLabDrops } from '../chat/composer/files/incoming';
import type { ChatPanel } from '../chat/panel';
import type { IAttachment } from '../document/attachments';
import { cellAttachments } from './notebookparts';
import { frozenPair } from './pairprovider';

/** What JupyterLab says when cells are dragged within a page: their widgets. */
const CELLS_MIME = 'internal:cells';

/** Let cells be dropped on a chat's composer; they are frozen, and stay where they are. */
export function acceptCells(panel: ChatPanel): void {
  acceptLabDrops(panel.composer.node, {
    mime: CELLS_MIME,
    action: 'copy',
    isLocked: () => false,
    onDrop: data => panel.attach(droppedAttachments(data, panel))
  });
}

/** The attachments of dropped cells, of notebooks and of the chat itself. */
export function droppedAttachments(
  data: unknown,
  chat: ChatPanel
): IAttachment[] {
  const cells = Array.isArray(data)
    ? data.filter((one): one is Cell => one instanceof Cell)
    : [];
  return cells.flatMap(cell => {
    const panel = panelOf(cell);
    if (panel === chat) {
      return frozenPair(chat, cell.model.id) ?? [];
    }
    return panel ? cellAttachments(panel, [cell], Date.now()) : [];
  });
}

function panelOf(cell: Cell): NotebookPanel | null {
  let widget: Widget | null = cell;
  while (widget && !(widget instanceof NotebookPanel)) {
    widget = widget.parent;
  }
  return widget;
}
