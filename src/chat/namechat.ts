import { InputDialog, showErrorMessage } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { CHAT_EXTENSION } from '../document/chatfile';
import { fileStem } from '../document/title';
import { chatName } from '../request/name';
import { firstMessage, isUntitled } from './chattitle';
import type { ChatPanel } from './panel';

/** Ask for a chat's name and rename its file. */
export async function nameChat(
  panel: ChatPanel,
  trans: TranslationBundle
): Promise<void> {
  const { context } = panel;
  const asked = await InputDialog.getText({
    title: trans.__('Name this chat'),
    label: trans.__('The file gets this name; the chat stays the same.'),
    text: fileStem(
      (isUntitled(context.path) && firstMessage(panel)) ||
        chatName(context.localPath)
    ),
    okLabel: trans.__('Rename')
  });
  const stem = asked.button.accept ? fileStem(asked.value ?? '') : '';
  if (!stem || stem === chatName(context.localPath)) {
    return;
  }
  try {
    await context.rename(`${stem}${CHAT_EXTENSION}`);
  } catch (error) {
    await showErrorMessage(
      trans.__('The chat could not be renamed'),
      error as Error
    );
  }
}
