import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { dollars } from '../../document/usage';
import { priceNote } from '../cells/usagewords';
import type { ChatSession } from '../../session/session';

/** How many tokens would be sent, and what that costs where the price is known. */
export function TokenEstimate(props: {
  tokens: number;
  session: Pick<ChatSession, 'model' | 'prices'>;
  trans: TranslationBundle;
}): JSX.Element {
  const { session, tokens, trans } = props;
  const price = session.prices.of(session.model);
  return (
    <>
      <span
        className="jp-Turnbook-estimate"
        role="status"
        // It changes with each pause in typing, and would interrupt.
        aria-live="off"
        aria-label={trans.__('Token estimate')}
        title={trans.__('Tokens that would be sent, by estimate')}
      >
        {`~${tokens.toLocaleString('en')}`}
      </span>
      {price ? (
        <span
          className="jp-Turnbook-estimate"
          role="status"
          aria-live="off"
          aria-label={trans.__('Price estimate')}
          title={[
            trans.__(
              'What sending this costs, by estimate, without the reply; what the provider reads from its cache costs less'
            ),
            priceNote(price, trans)
          ].join('\n')}
        >
          {dollars((tokens * price.input) / 1e6)}
        </span>
      ) : null}
    </>
  );
}
