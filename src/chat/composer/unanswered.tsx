import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ChatSession } from '../../session/session';

/** Calls without results would be rejected; say so before the message is sent. */
export function Unanswered(props: {
  session: ChatSession;
  /** Called with the pair that has the call. */
  onShow: (pair: string) => void;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { session, trans } = props;
  const pairs = session.context.unanswered;
  if (!pairs.length || !session.draft.text.trim()) {
    return null;
  }
  return (
    <div className="jp-Turnbook-notice jp-mod-warning" role="status">
      <span>
        {trans.__(
          'A tool call above has no result, and most providers refuse a message then. Write the result, remove the calls, or hide the pair with a filter.'
        )}
      </span>
      <button
        type="button"
        className="jp-Turnbook-button"
        title={trans.__('Go to the call')}
        onClick={() => props.onShow(pairs[0].id)}
      >
        {trans.__('Show call')}
      </button>
    </div>
  );
}
