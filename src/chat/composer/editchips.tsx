import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { changeCount } from '../../request/changecount';
import type { ChatSession } from '../../session/session';
import { Chip } from '../../ui/controls';

/** What the user should know about a request before it is sent. */
export function EditChips(props: {
  session: ChatSession;
  /** Whether editing requests is enabled. */
  requestEditor: () => boolean;
  /** Show the request of the message being written. */
  openRequest: () => void;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { session, requestEditor, openRequest, trans } = props;
  if (!requestEditor()) {
    return null;
  }
  const { rules } = session.modes;
  const chip = (kind: 'edited' | 'plain', words: string, title: string) => (
    <button
      type="button"
      className="jp-Turnbook-editedChip"
      title={title}
      onClick={openRequest}
    >
      <Chip kind={kind}>{words}</Chip>
    </button>
  );
  const edited = changeCount(session.requests.edits);
  return (
    <>
      {edited > 0 &&
        chip(
          'edited',
          trans.__('Edited request (%1)', edited),
          trans.__('The request differs from the cells. Click to see it.')
        )}
      {rules.on &&
        chip(
          'plain',
          trans.__('Auto-apply'),
          trans.__(
            'Edits of system and context sections are applied to later messages too. Click to see them.'
          )
        )}
    </>
  );
}
