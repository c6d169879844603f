import type { ITranslator } from '@jupyterlab/translation';
import * as React from 'react';

import type { ChatEntry } from '../../session/entry';

/** Asks which file gets the replies of a file that is gone; empty if there are none. */
export function ClaimQuestion({
  entry,
  translator
}: {
  entry: Pick<ChatEntry, 'unclaimed' | 'claim'>;
  translator: ITranslator;
}): React.ReactElement | null {
  const trans = translator.load('jupyterlab_turnbook');
  const { unclaimed } = entry;
  if (!unclaimed) {
    return null;
  }
  const button = (claim: 'take' | 'copy', label: string) => (
    <button
      type="button"
      className="jp-Turnbook-button"
      onClick={() => entry.claim(claim)}
    >
      {label}
    </button>
  );
  return (
    <div
      className="jp-Turnbook-notice jp-mod-warning"
      role="group"
      aria-label={trans.__('Unsaved replies')}
    >
      <span>
        {trans._n(
          'The file of this chat is no longer where it was, and one reply was never saved in it. Is this that chat?',
          'The file of this chat is no longer where it was, and %1 replies were never saved in it. Is this that chat?',
          unclaimed,
          unclaimed
        )}
      </span>
      {button('take', trans.__('Take over the replies'))}
      {button('copy', trans.__('Keep as a copy'))}
    </div>
  );
}
