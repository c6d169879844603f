/** The commands on code in replies, as `commands.ts` lists them. */
import type { TranslationBundle } from '@jupyterlab/translation';
import {
  addBelowIcon,
  copyIcon,
  type LabIcon
} from '@jupyterlab/ui-components';

import { applyDiffIcon, newNotebookIcon, replaceCellIcon } from './codeicons';

/** Their ids. */
export const CodeCommandIDs = {
  // The focused code block.
  copyCode: 'turnbook:copy-code',
  insertCode: 'turnbook:insert-code',
  replaceCell: 'turnbook:replace-cell-with-code',
  codeToNotebook: 'turnbook:code-to-notebook',
  applyDiff: 'turnbook:apply-diff',

  // The selected pairs.
  replyToNotebook: 'turnbook:reply-to-notebook',

  // The active cell of a notebook.
  showOrigin: 'turnbook:show-origin'
} as const;

/** Their labels and icons. */
export function codeLooks(
  trans: TranslationBundle
): Record<
  (typeof CodeCommandIDs)[keyof typeof CodeCommandIDs],
  { label: string; caption?: string; icon?: LabIcon }
> {
  return {
    [CodeCommandIDs.copyCode]: {
      label: trans.__('Copy Code Block'),
      caption: trans.__('Copy the focused code block'),
      icon: copyIcon
    },
    [CodeCommandIDs.insertCode]: {
      label: trans.__('Insert Code Below'),
      caption: trans.__(
        'Insert the focused code block into the notebook used last, below its active cell'
      ),
      icon: addBelowIcon
    },
    [CodeCommandIDs.replaceCell]: {
      label: trans.__('Replace Cell with Code'),
      caption: trans.__(
        'Replace the active cell of the notebook used last with the focused code block'
      ),
      icon: replaceCellIcon
    },
    [CodeCommandIDs.codeToNotebook]: {
      label: trans.__('Code to New Notebook'),
      caption: trans.__('Make a notebook of the focused code block'),
      icon: newNotebookIcon
    },
    [CodeCommandIDs.applyDiff]: {
      label: trans.__('Apply Diff…'),
      caption: trans.__(
        'Look at what the focused diff changes in files, then apply it'
      ),
      icon: applyDiffIcon
    },
    [CodeCommandIDs.replyToNotebook]: {
      label: trans.__('Reply to Notebook'),
      caption: trans.__(
        'Make a notebook of the selected replies, with Markdown and code cells; nothing is run'
      ),
      icon: newNotebookIcon
    },
    [CodeCommandIDs.showOrigin]: {
      label: trans.__('Show Where This Came From'),
      caption: trans.__('Go to the reply that this cell was made from')
    }
  };
}
