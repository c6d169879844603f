import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { isEditor } from '../../request/pause';
import type { ChatSession } from '../../session/session';
import { Words } from '../../ui/language';
import { PauseBanner } from '../../ui/pausebanner';

/** Says that a message is paused; nothing while none is. */
export function PausedMessage(props: {
  session: ChatSession;
  onCanceled: () => void;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { session, onCanceled, trans } = props;
  const { held } = session.modes.pause;
  return (
    held && (
      <Words.Provider value={trans}>
        <PauseBanner
          resend={isEditor(held)}
          models={held.models}
          obstacle={session.obstacle}
          onResume={() => void session.resumeSend()}
          onCancel={() => {
            void session.review.cancel();
            onCanceled();
          }}
        />
      </Words.Provider>
    )
  );
}
