import type { JupyterFrontEnd } from '@jupyterlab/application';

import type { IOpenChats } from './openchats';
import type { ChatPanel } from './panel';

/** The id of the part of JupyterLab's right sidebar that shows its widgets. */
const RIGHT = 'jp-right-stack';

/** Whether a chat is in the right sidebar. */
export function isInSidebar(panel: ChatPanel): boolean {
  return panel.parent?.id === RIGHT;
}

/**
 * The chat that commands are for: the one in front in the main area, or the one that the sidebar shows
 * while no other chat is in front.
 */
export function currentChat(
  shell: JupyterFrontEnd.IShell,
  tracker: IOpenChats
): ChatPanel | null {
  const inFront = shell.currentWidget;
  const chat = tracker.currentWidget;
  if (!chat || chat === inFront) {
    return chat;
  }
  const isElsewhere = tracker.find(one => one === inFront) !== undefined;
  return !isElsewhere && isInSidebar(chat) && chat.isVisible ? chat : null;
}
