/** Notifications about replays. */
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { NothingToReplay } from '../model/record';
import { problemText } from './view';

/** Say why a request was not replayed, and what to do about it. */
export function tellNotReplayed(
  error: Error,
  options: {
    openEditor: () => void;
    /** Absent if nothing is edited. */
    resetEdits?: () => void;
    trans: TranslationBundle;
  }
): void {
  const { openEditor, resetEdits, trans } = options;
  const kind = error instanceof NothingToReplay ? 'warning' : 'error';
  Notification.emit(problemText(error, trans), kind, {
    autoClose: 8000,
    actions: [
      { label: trans.__('Open request editor'), callback: openEditor },
      ...(resetEdits
        ? [{ label: trans.__('Reset the edits'), callback: resetEdits }]
        : [])
    ]
  });
}

/** Say which chat was started, and whether its payload is being sent. */
export function tellStarted(options: {
  /** The end of the replayed chat's id. */
  tail: string;
  /** The name of the replayed chat. */
  name: string;
  isSending: boolean;
  trans: TranslationBundle;
}): void {
  const { tail, name, isSending, trans } = options;
  const sent = isSending
    ? trans.__('The replayed prompt is being sent')
    : trans.__('Nothing was sent yet');
  Notification.success(
    trans.__(
      'This chat continues from replayed prompt %1 of %2. %3; the original is unchanged.',
      tail,
      name,
      sent
    ),
    { autoClose: 6000 }
  );
}
