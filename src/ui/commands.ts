/**
 * The labels and icons of all commands of Turnbook. Their ids are in `commandids.ts`, their menus in
 * `menus.ts`.
 *
 * Each room implements its own commands. Key bindings and the chat's toolbar are in `schema/`,
 * where users can change them.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import {
  codeIcon,
  copyIcon,
  deleteIcon,
  editIcon,
  redoIcon,
  refreshIcon,
  stopIcon,
  undoIcon,
  type LabIcon
} from '@jupyterlab/ui-components';

import { codeLooks } from './codecommands';
import { CommandIDs, type CommandID } from './commandids';
import {
  attachIcon,
  chatIcon,
  compareIcon,
  inOutIcon,
  noteIcon,
  replayIcon,
  requestIcon,
  rerunIcon,
  starIcon,
  systemIcon,
  tagIcon
} from './icons';

/** The label and icon of a command. */
export interface ICommandLook {
  label: string;
  caption?: string;
  icon?: LabIcon;
}

/** The labels and icons of all commands, in the user's language. */
export function commandLooks(
  trans: TranslationBundle
): Record<CommandID, ICommandLook> {
  return {
    [CommandIDs.newChat]: {
      label: trans.__('New Chat'),
      caption: trans.__('Make a new chat notebook'),
      icon: chatIcon
    },
    [CommandIDs.exampleChat]: {
      label: trans.__('Example Chat'),
      caption: trans.__('Make a chat in which everything can be tried'),
      icon: chatIcon
    },
    [CommandIDs.goToPair]: { label: trans.__('Go to Pair') },
    ...codeLooks(trans),
    ...chatLooks(trans),
    ...requestLooks(trans),
    ...replayLooks(trans)
  };
}

function chatLooks(trans: TranslationBundle) {
  return {
    [CommandIDs.send]: {
      label: trans.__('Send Message'),
      caption: trans.__('Send the message with the cells you see')
    },
    [CommandIDs.attach]: {
      label: trans.__('Attach Files'),
      caption: trans.__('Attach images, PDF, audio or text to the message'),
      icon: attachIcon
    },
    [CommandIDs.stop]: {
      label: trans.__('Stop Reply'),
      caption: trans.__('Stop the reply; what has arrived stays'),
      icon: stopIcon
    },
    [CommandIDs.retryNow]: {
      label: trans.__('Retry Now'),
      caption: trans.__('Ask the model once more for this reply'),
      icon: refreshIcon
    },
    [CommandIDs.sendWithoutImages]: { label: trans.__('Send Without Images') },
    [CommandIDs.stopAutoRetry]: {
      label: trans.__('Stop Auto-Retry'),
      caption: trans.__(
        'Stop retrying this reply automatically; what has arrived stays'
      ),
      icon: stopIcon
    },
    [CommandIDs.attempts]: {
      label: trans.__('Attempts…'),
      caption: trans.__('All requests for this pair and their outcomes')
    },
    [CommandIDs.usage]: { label: trans.__('Usage and Price…') },
    [CommandIDs.editAndResend]: {
      label: trans.__('Edit & Resend'),
      caption: trans.__(
        'Edit this message and send it again with the cells above it'
      ),
      icon: editIcon
    },
    [CommandIDs.editText]: {
      label: trans.__('Edit Text'),
      caption: trans.__('Edit this system message or note')
    },
    [CommandIDs.editReply]: {
      label: trans.__('Edit Reply'),
      caption: trans.__('Edit this reply; the original stays as a version')
    },
    [CommandIDs.askSeveral]: {
      label: trans.__('Ask Several Models…'),
      caption: trans.__(
        'Ask several models, or one several times, and choose among the replies'
      )
    },
    [CommandIDs.regenerateWith]: {
      label: trans.__('Regenerate with…'),
      caption: trans.__('Ask other models too, with the same request')
    },
    [CommandIDs.chooseReply]: {
      label: trans.__('Choose This Reply'),
      caption: trans.__('Later messages carry the chosen reply')
    },
    [CommandIDs.combineReplies]: {
      label: trans.__('Combine These Replies'),
      caption: trans.__(
        'Put these replies into the composer, with an instruction that you can edit; nothing is sent'
      )
    },
    [CommandIDs.regenerate]: {
      label: trans.__('Regenerate'),
      caption: trans.__(
        'Send this message again, with the cells above it; the earlier reply is kept as a version'
      ),
      icon: refreshIcon
    },
    [CommandIDs.continueReply]: {
      label: trans.__('Continue Reply'),
      caption: trans.__(
        'Ask the model to go on with a reply that was stopped or cut off'
      )
    },
    [CommandIDs.deletePair]: {
      label: trans.__('Delete'),
      caption: trans.__('Delete the selected cells (undo restores them)'),
      icon: deleteIcon
    },
    [CommandIDs.cycleStar]: {
      label: trans.__('Star'),
      caption: trans.__('Give the selected pairs one star more, up to three'),
      icon: starIcon
    },
    [CommandIDs.toggleIn]: {
      label: trans.__('Mark In or Out'),
      caption: trans.__('Mark the selected pairs as in or out, for filters'),
      icon: inOutIcon
    },
    [CommandIDs.setTopic]: {
      label: trans.__('Set Topic…'),
      caption: trans.__('Give the selected pairs a topic'),
      icon: tagIcon
    },
    [CommandIDs.focusFilter]: {
      label: trans.__('Filter'),
      caption: trans.__('Filter the visible cells')
    },
    [CommandIDs.topics]: {
      label: trans.__('Topics'),
      caption: trans.__('The topics of this chat; choose one to see it alone'),
      icon: tagIcon
    },
    [CommandIDs.jumpToBoundary]: {
      label: trans.__('Go to the First Included Pair'),
      caption: trans.__('The first pair that is sent with the next message')
    },
    [CommandIDs.jumpToLatest]: {
      label: trans.__('Jump to Latest'),
      caption: trans.__('Show the end of the chat, and follow it as it grows')
    },
    [CommandIDs.toggleFold]: {
      label: trans.__('Fold or Unfold'),
      caption: trans.__(
        'Show the beginning of a long message or reply, or all of it'
      )
    },
    [CommandIDs.showRequest]: {
      label: trans.__('Show Request'),
      caption: trans.__('Show the exact bytes that were sent for this pair'),
      icon: codeIcon
    },
    [CommandIDs.showResponse]: {
      label: trans.__('Show Response'),
      caption: trans.__('Show what came back for this pair, event by event')
    },
    [CommandIDs.previousVersion]: { label: trans.__('Previous Version') },
    [CommandIDs.nextVersion]: { label: trans.__('Next Version') },
    [CommandIDs.restoreVersion]: {
      label: trans.__('Restore This Version'),
      caption: trans.__('Make the shown version the current one')
    },
    [CommandIDs.compare]: {
      label: trans.__('Compare Replies'),
      caption: trans.__(
        'Show versions, a fork and its original, chats or records side by side'
      ),
      icon: compareIcon
    },
    [CommandIDs.rerun]: {
      label: trans.__('Rerun…'),
      caption: trans.__(
        'Send requests again: to other models, several times, with other options'
      ),
      icon: rerunIcon
    },
    [CommandIDs.reruns]: {
      label: trans.__('Reruns'),
      caption: trans.__('The reruns of this server, and how far they are'),
      icon: rerunIcon
    },
    [CommandIDs.recoveredReplies]: {
      label: trans.__('Recovered Replies…'),
      caption: trans.__(
        'Replies of deleted pairs and of deleted chats that the journal still has'
      )
    },
    [CommandIDs.addSystem]: {
      label: trans.__('Add System Message'),
      caption: trans.__('Add a system message, sent at its position'),
      icon: systemIcon
    },
    [CommandIDs.addNote]: {
      label: trans.__('Add Note'),
      caption: trans.__('Add a note: never sent'),
      icon: noteIcon
    },
    [CommandIDs.copyMessage]: {
      label: trans.__('Copy Message'),
      caption: trans.__('Copy the message as it was written'),
      icon: copyIcon
    },
    [CommandIDs.copyAsMarkdown]: {
      label: trans.__('Copy as Markdown'),
      caption: trans.__(
        'Copy the selected pairs as Markdown, with who said what'
      ),
      icon: copyIcon
    },
    [CommandIDs.exportHTML]: {
      label: trans.__('Chat as HTML'),
      caption: trans.__(
        'Download the visible cells as one HTML page, with who said what'
      )
    },
    [CommandIDs.exportMarkdown]: {
      label: trans.__('Chat as Markdown'),
      caption: trans.__(
        'Download the visible cells as Markdown, with who said what'
      )
    },
    [CommandIDs.copyReply]: {
      label: trans.__('Copy Reply'),
      caption: trans.__('Copy the reply as the model wrote it'),
      icon: copyIcon
    },
    [CommandIDs.moveUp]: {
      label: trans.__('Move Up'),
      caption: trans.__(
        'Move the selected cells above the previous visible one'
      )
    },
    [CommandIDs.moveDown]: {
      label: trans.__('Move Down'),
      caption: trans.__('Move the selected cells below the next visible one')
    },
    [CommandIDs.nameChat]: {
      label: trans.__('Name This Chat…'),
      caption: trans.__('Give the file of this chat a name')
    },
    [CommandIDs.undo]: {
      label: trans.__('Undo'),
      caption: trans.__('Undo the last change to the cells; replies stay'),
      icon: undoIcon
    },
    [CommandIDs.redo]: {
      label: trans.__('Redo'),
      caption: trans.__('Redo the change to the cells'),
      icon: redoIcon
    },
    [CommandIDs.focusComposer]: { label: trans.__('Write a Message') },
    [CommandIDs.finishEditing]: {
      label: trans.__('Finish Editing the Cell')
    },
    [CommandIDs.selectAbove]: { label: trans.__('Select Cell Above') },
    [CommandIDs.selectBelow]: { label: trans.__('Select Cell Below') },
    [CommandIDs.extendAbove]: { label: trans.__('Extend Selection Above') },
    [CommandIDs.extendBelow]: { label: trans.__('Extend Selection Below') },
    [CommandIDs.manageProviders]: {
      label: trans.__('Add or Edit Providers…'),
      caption: trans.__('Where models come from, and their keys')
    },
    [CommandIDs.localModels]: {
      label: trans.__('Local Models…'),
      caption: trans.__(
        'Download models that run on the Jupyter server’s machine'
      )
    },
    [CommandIDs.keysAndFilters]: {
      label: trans.__('Keys and Filters'),
      caption: trans.__('The keys of chats, and the language of the filter')
    },
    [CommandIDs.tour]: {
      label: trans.__('Tour of Chats'),
      caption: trans.__('A short walk through the parts of a chat')
    }
  };
}

function requestLooks(trans: TranslationBundle) {
  return {
    [CommandIDs.openRequest]: {
      label: trans.__('Open Request Editor'),
      caption: trans.__('View or edit the request'),
      icon: requestIcon
    },
    [CommandIDs.toggleRequest]: {
      label: trans.__('Show or Hide the Request Panel'),
      caption: trans.__('View or edit the request, or close the panel'),
      icon: requestIcon
    },
    [CommandIDs.editRequest]: {
      label: trans.__('Edit Request'),
      caption: trans.__('View or edit the request of this pair'),
      icon: requestIcon
    },
    [CommandIDs.apply]: {
      label: trans.__('Apply Session Snapshot to Prompt'),
      caption: trans.__('Apply the snapshot to the sections')
    },
    [CommandIDs.applyAndReplay]: {
      label: trans.__('Apply Session Snapshot and Replay')
    },
    [CommandIDs.togglePause]: {
      label: trans.__('Pause & Review'),
      caption: trans.__('Pause every message for review before it is sent')
    },
    [CommandIDs.pauseNext]: {
      label: trans.__('Pause Next Send Only'),
      caption: trans.__('Pause only the next message for review')
    },
    [CommandIDs.resume]: {
      label: trans.__('Resume Send'),
      caption: trans.__('Send exactly the request that the panel shows')
    },
    [CommandIDs.cancel]: {
      label: trans.__('Cancel Send'),
      caption: trans.__('Cancel the paused message; nothing is sent')
    },
    [CommandIDs.toggleAutoApply]: {
      label: trans.__('Auto-Apply'),
      caption: trans.__(
        'Edits of system and context sections are applied to later sends too'
      )
    }
  };
}

function replayLooks(trans: TranslationBundle) {
  const replay = {
    caption: trans.__(
      'Show the request as a read-only notebook; the model is not called'
    ),
    icon: replayIcon
  };
  return {
    [CommandIDs.replay]: { ...replay, label: trans.__('Replay Edited Prompt') },
    [CommandIDs.replayPair]: {
      ...replay,
      label: trans.__('Replay This Request')
    },
    [CommandIDs.unlock]: {
      label: trans.__('Unlock'),
      caption: trans.__(
        'Let the cells that came with a replay be edited, sent again and deleted'
      )
    },
    [CommandIDs.startChatting]: {
      label: trans.__('Start Chatting from This Replay'),
      caption: trans.__('Continue in a new chat; the original stays unchanged')
    },
    [CommandIDs.restoreReplay]: {
      label: trans.__('Restore Previous Replay'),
      caption: trans.__('Restore the replay that was here before')
    },
    [CommandIDs.exportReplay]: {
      label: trans.__('Export Replay Record…'),
      caption: trans.__('Save the request with its proof as a notebook')
    },
    [CommandIDs.backToConversation]: {
      label: trans.__('Back to Conversation'),
      caption: trans.__('Show the chat that this replay comes from')
    },
    [CommandIDs.showReplayChanges]: {
      label: trans.__('Show Changes of This Replay'),
      caption: trans.__(
        'Compare the replayed request with what it was before the edits'
      )
    }
  };
}
