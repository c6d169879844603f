import type { TranslationBundle } from '@jupyterlab/translation';

import type { ICommandLook } from '../ui/commands';
import { attachIcon, chatIcon, explainIcon, sidebarIcon } from '../ui/icons';

/** The ids of the commands for notebooks and files that a chat is about. */
export const BridgeIDs = {
  askAboutCell: 'turnbook:ask-about-cell',
  askAboutOutput: 'turnbook:ask-about-output',
  askAboutSelection: 'turnbook:ask-about-selection',
  explainError: 'turnbook:explain-error',
  chatAboutNotebook: 'turnbook:chat-about-notebook',
  sidebar: 'turnbook:toggle-sidebar',
  askingCode: 'turnbook:show-asking-code',
  attachToChat: 'turnbook:attach-to-chat'
} as const;

export type BridgeID = (typeof BridgeIDs)[keyof typeof BridgeIDs];

/** Their labels and icons, in the user's language. */
export function bridgeLooks(
  trans: TranslationBundle
): Record<BridgeID, ICommandLook> {
  return {
    [BridgeIDs.askAboutCell]: {
      label: trans.__('Ask About This Cell'),
      caption: trans.__(
        'Attach the selected cells to a message in the chat about this notebook; nothing is sent yet'
      ),
      icon: chatIcon
    },
    [BridgeIDs.askAboutOutput]: {
      label: trans.__('Ask About This Output'),
      caption: trans.__(
        'Attach the outputs of the selected cells to a message in the chat about this notebook; nothing is sent yet'
      )
    },
    [BridgeIDs.askAboutSelection]: {
      label: trans.__('Ask About This Selection'),
      caption: trans.__(
        'Attach the selected text to a message in the chat about this file; nothing is sent yet'
      )
    },
    [BridgeIDs.explainError]: {
      label: trans.__('Explain This Error'),
      caption: trans.__(
        'Attach the cell and its error to a message in the chat about this notebook; nothing is sent yet'
      ),
      icon: explainIcon
    },
    [BridgeIDs.chatAboutNotebook]: {
      label: trans.__('Chat About This Notebook'),
      icon: chatIcon
    },
    [BridgeIDs.sidebar]: {
      label: trans.__('Open Chat in the Sidebar'),
      caption: trans.__('Move this chat to the right sidebar'),
      icon: sidebarIcon
    },
    [BridgeIDs.askingCode]: {
      label: trans.__('Show the Code That Asks Kernels'),
      caption: trans.__(
        'Show the Python code that lists and describes variables for references'
      )
    },
    [BridgeIDs.attachToChat]: {
      label: trans.__('Attach to Chat'),
      caption: trans.__(
        'Attach the selected files to the message in the chat; nothing is sent yet'
      ),
      icon: attachIcon
    }
  };
}
