import { Notification } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { errorMessage } from '../base/errors';
import { safeName } from '../ui/safename';
import type { ICodeBlock } from './codeaction';
import { lookAtDiff } from './diffdialog';
import { planDiff } from './diffplan';
import type { TextFiles } from './textfiles';
import { looksLikeDiff } from './unifieddiff';

/** How long the way back is offered. */
const UNDO_MS = 30_000;

/** Whether a block is a diff that names files. */
export function isDiff(block: ICodeBlock): boolean {
  try {
    return looksLikeDiff(block.text);
  } catch {
    // It is not code in the reply's text; the other buttons say so when they are used.
    return false;
  }
}

/** Show what a diff does, and do it if the user wants that. */
export async function applyDiff(
  block: ICodeBlock,
  files: TextFiles,
  trans: TranslationBundle
): Promise<void> {
  const folder = PathExt.dirname(block.chat.path);
  const planned = await planDiff(block.text, folder, files, trans);
  if (!(await lookAtDiff(planned, trans))) {
    return;
  }
  const changes = planned.flatMap(({ change }) => change ?? []);
  const undo = await files.change(changes);
  const names = changes.map(({ path }) => safeName(PathExt.basename(path)));
  Notification.success(trans.__('Applied to %1', names.join(', ')), {
    autoClose: UNDO_MS,
    actions: [
      {
        label: trans.__('Undo'),
        callback: () => {
          undo().then(
            () => Notification.success(trans.__('Undone'), { autoClose: 3000 }),
            error =>
              Notification.error(
                trans.__('Not undone: %1', errorMessage(error)),
                { autoClose: false }
              )
          );
        }
      }
    ]
  });
}
