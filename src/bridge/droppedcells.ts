import { Cell } from '@jupyterlab/cells';
import { NotebookPanel } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';

import { acceptLabDrops, CONTENTS_MIME } from '../chat/composer/files/incoming';
import { ChatPanel } from '../chat/panel';
import type { IAttachment } from '../document/attachments';
import { cellAttachments } from './notebookparts';
import { frozenPair } from './pairprovider';

/** What JupyterLab says when cells are dragged within a page: their widgets. */
const CELLS_MIME = 'internal:cells';

/** Let cells be dropped on a chat; they are frozen, and stay where they are. */
export function acceptCells(panel: ChatPanel): void {
  const { composer, node } = panel;
  const drop = {
    mime: CELLS_MIME,
    action: 'copy',
    isLocked: () => false,
    onDrop: (data: unknown) => panel.attach(droppedAttachments(data))
  };
  acceptLabDrops(composer.node, drop);
  // JupyterLab's notebook would insert a copy of a cell: a message that nobody sent.
  acceptLabDrops(node, {
    ...drop,
    mark: composer.node,
    accepts: (data, target) =>
      !composer.node.contains(target) && areForeign(data, panel)
  });
}

/** Let files of the file browser be dropped on all of a chat, as on its composer. */
export function acceptPaths(panel: ChatPanel): void {
  const { composer, node } = panel;
  acceptLabDrops(node, {
    mime: CONTENTS_MIME,
    mark: composer.node,
    isLocked: () => false,
    // A note that is being edited takes pictures itself.
    accepts: (_, target) =>
      !composer.node.contains(target) &&
      !target.closest('.jp-MarkdownCell:not(.jp-mod-rendered)'),
    onDrop: data =>
      composer.take((attaching, isLocked) =>
        attaching.addPaths(data as string[], isLocked)
      )
  });
}

/** The attachments of dropped cells, of notebooks and of chats. */
export function droppedAttachments(data: unknown): IAttachment[] {
  return cellsOf(data).flatMap(cell => {
    const panel = panelOf(cell);
    // Of a chat's pair, the reply belongs to it; a note is a cell like others.
    const pair =
      panel instanceof ChatPanel ? frozenPair(panel, cell.model.id) : null;
    return pair ?? (panel ? cellAttachments(panel, [cell], Date.now()) : []);
  });
}

/** Whether cells are dragged that are not the chat's own; those are moved within it. */
function areForeign(data: unknown, chat: ChatPanel): boolean {
  return cellsOf(data).some(cell => panelOf(cell) !== chat);
}

function cellsOf(data: unknown): Cell[] {
  return Array.isArray(data)
    ? data.filter((one): one is Cell => one instanceof Cell)
    : [];
}

function panelOf(cell: Cell): NotebookPanel | null {
  let widget: Widget | null = cell;
  while (widget && !(widget instanceof NotebookPanel)) {
    widget = widget.parent;
  }
  return widget;
}
