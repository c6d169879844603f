import type { ContextMenu } from '@lumino/widgets';

import { CommandIDs, type CommandID } from './commandids';

/** Commands in the order of a menu, with a separator between the groups. */
type CommandGroups = readonly (readonly CommandID[])[];

/** The toolbar of the active pair. */
export const CELL_TOOLBAR: readonly CommandID[] = [
  CommandIDs.editAndResend,
  CommandIDs.regenerate,
  CommandIDs.cycleStar,
  CommandIDs.toggleIn,
  CommandIDs.setTopic,
  CommandIDs.copyReply,
  CommandIDs.showRequest,
  CommandIDs.replayPair,
  CommandIDs.deletePair
];

/** The context menu of a pair; that of its cell follows. */
export const PAIR_MENU: CommandGroups = [
  [
    CommandIDs.copyMessage,
    CommandIDs.copyReply,
    CommandIDs.copyAsMarkdown,
    CommandIDs.replyToNotebook
  ],
  [
    CommandIDs.editAndResend,
    CommandIDs.editReply,
    CommandIDs.regenerate,
    CommandIDs.regenerateWith,
    CommandIDs.continueReply,
    CommandIDs.retryNow,
    CommandIDs.sendWithoutImages,
    CommandIDs.stopAutoRetry
  ],
  [
    CommandIDs.previousVersion,
    CommandIDs.nextVersion,
    CommandIDs.restoreVersion,
    CommandIDs.chooseReply,
    CommandIDs.combineReplies,
    CommandIDs.compare
  ],
  [
    CommandIDs.showRequest,
    CommandIDs.showResponse,
    CommandIDs.editRequest,
    CommandIDs.replayPair,
    CommandIDs.rerun,
    CommandIDs.attempts
  ],
  [CommandIDs.cycleStar, CommandIDs.toggleIn, CommandIDs.setTopic],
  [CommandIDs.toggleFold]
];

/** The context menu of any cell. */
export const CELL_MENU: CommandGroups = [
  [CommandIDs.addSystem, CommandIDs.addNote],
  [CommandIDs.moveUp, CommandIDs.moveDown],
  [CommandIDs.deletePair]
];

/** The context menu of a replay. */
export const REPLAY_MENU: CommandGroups = [
  [CommandIDs.startChatting, CommandIDs.backToConversation],
  [CommandIDs.showReplayChanges, CommandIDs.restoreReplay],
  [CommandIDs.exportReplay, CommandIDs.rerun]
];

/** Commands that few pairs have a use for; a menu lists them only where they can be run. */
export const RARE: readonly CommandID[] = [
  CommandIDs.continueReply,
  CommandIDs.retryNow,
  CommandIDs.sendWithoutImages,
  CommandIDs.stopAutoRetry,
  CommandIDs.previousVersion,
  CommandIDs.nextVersion,
  CommandIDs.restoreVersion,
  CommandIDs.chooseReply,
  CommandIDs.combineReplies,
  CommandIDs.compare,
  CommandIDs.attempts,
  CommandIDs.toggleFold
];

/**
 * Add groups of commands to the end of a context menu, with separators between them.
 *
 * @param selector - What the menu is of, as a CSS selector.
 * @param rank - The rank of the first item.
 * @returns The rank after the last item.
 */
export function addGroups(
  menu: ContextMenu,
  groups: CommandGroups,
  selector: string,
  rank = 0
): number {
  menu.menu.addClass('jp-Turnbook-menu');
  for (const group of groups) {
    // A menu draws no separator at its beginning or beside another.
    menu.addItem({ type: 'separator', selector, rank: rank++ });
    for (const command of group) {
      menu.addItem({ command, selector, rank: rank++ });
    }
  }
  return rank;
}
