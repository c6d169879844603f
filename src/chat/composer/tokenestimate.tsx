import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

/** How many tokens would be sent. */
export function TokenEstimate(props: {
  tokens: number;
  trans: TranslationBundle;
}): JSX.Element {
  const { tokens, trans } = props;
  return (
    <span
      className="jp-Turnbook-estimate"
      role="status"
      aria-label={trans.__('Token estimate')}
      title={trans.__('Tokens that would be sent, by estimate')}
    >
      {`~${tokens.toLocaleString('en')}`}
    </span>
  );
}
