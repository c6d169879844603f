/** The menus and toolbars of pairs and replays. */
import { CommandIDs, type CommandID } from './commands';

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

/** The context menu of a cell. */
export const CELL_MENU: readonly CommandID[] = [
  CommandIDs.copyMessage,
  CommandIDs.copyReply,
  CommandIDs.copyAsMarkdown,
  CommandIDs.showRequest,
  CommandIDs.editRequest,
  CommandIDs.replayPair,
  CommandIDs.editAndResend,
  CommandIDs.regenerate,
  CommandIDs.continueReply,
  CommandIDs.attempts,
  CommandIDs.retryNow,
  CommandIDs.stopAutoRetry,
  CommandIDs.previousVersion,
  CommandIDs.nextVersion,
  CommandIDs.restoreVersion,
  CommandIDs.cycleStar,
  CommandIDs.toggleIn,
  CommandIDs.setTopic,
  CommandIDs.addSystem,
  CommandIDs.addNote,
  CommandIDs.moveUp,
  CommandIDs.moveDown,
  CommandIDs.deletePair
];

/** The context menu of a replay. */
export const REPLAY_MENU: readonly CommandID[] = [
  CommandIDs.startChatting,
  CommandIDs.backToConversation,
  CommandIDs.showReplayChanges,
  CommandIDs.restoreReplay,
  CommandIDs.exportReplay
];
