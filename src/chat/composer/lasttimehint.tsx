import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { shortCount } from '../../document/usage';
import type { LastTime } from '../../session/lasttime';
import { useSignal } from '../../ui/usesignal';

/** Says that the request begins differently from the last one, if that makes it dearer. */
export function LastTimeHint(props: {
  lastTime: Pick<LastTime, 'changed' | 'hint'>;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { lastTime, trans } = props;
  useSignal(lastTime.changed);
  const { hint } = lastTime;
  return (
    hint && (
      <span
        className="jp-Turnbook-estimate"
        role="status"
        // Like the estimate beside it.
        aria-live="off"
        aria-label={trans.__('As last time')}
        title={trans.__(
          'Only the first %1 tokens are as in the last request to this model. About %2 tokens that it had, too, come after something that a filter or an edit changed: a provider that caches prompts reads them anew and charges their full price.',
          shortCount(hint.same),
          shortCount(hint.again)
        )}
      >
        {trans.__('%1 read anew', shortCount(hint.again))}
      </span>
    )
  );
}
