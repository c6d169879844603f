import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IBudgetState } from '../../context/budget';
import { budgetWords } from './budgetview';
import type { ChatSettings } from '../../session/settings';

/**
 * Whether a request may be sent; with `overBudget: confirm`, ask first if not everything visible
 * fits.
 */
export async function confirmBudget(
  budget: IBudgetState,
  settings: ChatSettings,
  trans: TranslationBundle
): Promise<boolean> {
  const isOver = budget.included < budget.visible || budget.overfull;
  if (settings.current.overBudget === 'confirm' && isOver) {
    const { button } = await showDialog({
      title: trans.__('Not everything fits'),
      body: budgetWords(budget, trans),
      buttons: [
        Dialog.cancelButton({ label: trans.__('Abort') }),
        Dialog.warnButton({ label: trans.__('Force send') })
      ]
    });
    return button.accept;
  }
  return true;
}

/** Ask before a message is sent without files of which the content is missing. */
export async function confirmMissing(
  names: readonly string[],
  trans: TranslationBundle
): Promise<boolean> {
  const count = names.length;
  const { button } = await showDialog({
    title: trans._n('A file is missing', '%1 files are missing', count, count),
    body: trans._n(
      'The content of %2 is not in this chat’s file. Attach it again, or send the message without it.',
      'The content of these is not in this chat’s file: %2. Attach them again, or send the message without them.',
      count,
      names.join(', ')
    ),
    buttons: [
      Dialog.cancelButton(),
      Dialog.warnButton({
        label: trans._n('Send without it', 'Send without them', count)
      })
    ]
  });
  return button.accept;
}

/** Ask before a reply is deleted with its pair. */
export async function confirmDelete(
  count: number,
  trans: TranslationBundle
): Promise<boolean> {
  const { button } = await showDialog({
    title: trans._n('Delete the pair?', 'Delete %1 pairs?', count, count),
    body: trans.__(
      'This deletes the message and its reply. Undo restores them while the chat is open.'
    ),
    buttons: [
      Dialog.cancelButton(),
      Dialog.warnButton({ label: trans.__('Delete') })
    ]
  });
  return button.accept;
}
