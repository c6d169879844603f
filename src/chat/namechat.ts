import { InputDialog, showErrorMessage } from '@jupyterlab/apputils';
import { ServerConnection } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';

import { errorMessage } from '../base/errors';
import { CHAT_EXTENSION } from '../document/chatfile';
import { fileStem } from '../document/title';
import { chatName } from '../request/name';
import { firstMessage, isUntitled } from './chattitle';
import type { ChatPanel } from './panel';

/** How many names are tried, if others have them. */
const MAX_TRIES = 100;

/** The name that a chat without one is offered; empty if there is none. */
export function suggestedName(panel: ChatPanel): string {
  return isUntitled(panel.context.path) ? fileStem(firstMessage(panel)) : '';
}

/** Ask for a chat's name and rename its file; returns whether the file was renamed. */
export async function nameChat(
  panel: ChatPanel,
  trans: TranslationBundle
): Promise<boolean> {
  const { context } = panel;
  const asked = await InputDialog.getText({
    title: trans.__('Name this chat'),
    label: trans.__('The file gets this name; the chat stays the same.'),
    text: suggestedName(panel) || fileStem(chatName(context.localPath)),
    okLabel: trans.__('Rename')
  });
  const stem = asked.button.accept ? fileStem(asked.value ?? '') : '';
  if (!stem || stem === chatName(context.localPath)) {
    return false;
  }
  try {
    await context.rename(`${stem}${CHAT_EXTENSION}`);
    return true;
  } catch (error) {
    await showErrorMessage(
      trans.__('The chat could not be renamed'),
      isTaken(error)
        ? trans.__(
            'There is another file named %1%2 here.',
            stem,
            CHAT_EXTENSION
          )
        : errorMessage(error)
    );
    return false;
  }
}

/** Rename a chat's file; if another file has the name, it gets a number. */
export async function renameChat(
  { context }: ChatPanel,
  stem: string
): Promise<void> {
  for (let n = 1; ; n++) {
    try {
      await context.rename(`${stem}${n > 1 ? ` ${n}` : ''}${CHAT_EXTENSION}`);
      return;
    } catch (error) {
      if (!isTaken(error) || n === MAX_TRIES) {
        throw error;
      }
    }
  }
}

function isTaken(error: unknown): boolean {
  return (
    error instanceof ServerConnection.ResponseError &&
    error.response.status === 409
  );
}
