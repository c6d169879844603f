/** What asking several models would take, in words. */
import type { TranslationBundle } from '@jupyterlab/translation';

import { dollars } from '../../document/usage';
import type { PriceOf } from '../../session/prices';

/**
 * Say how many requests there would be, and what sending them costs.
 *
 * @param models - The models to ask, with repeats.
 * @param tokens - How many tokens each request has; null if that is unknown.
 */
export function severalEstimate(
  models: readonly string[],
  tokens: number | null,
  priceOf: PriceOf,
  trans: TranslationBundle
): string {
  const requests = trans._n('%1 request', '%1 requests', models.length);
  if (tokens === null || !models.length) {
    return requests;
  }
  const sum = tokens * models.length;
  const prices = models.map(priceOf);
  const known = prices.filter(price => price !== null);
  const cost = known.reduce(
    (total, { input }) => total + (tokens * input) / 1e6,
    0
  );
  const unknown = prices.length - known.length;
  return [
    requests,
    trans.__('~%1 tokens', sum.toLocaleString('en')),
    ...(known.length
      ? [trans.__('%1 without the replies', dollars(cost))]
      : []),
    ...(unknown
      ? [
          known.length
            ? trans._n(
                'price of %1 request unknown',
                'price of %1 requests unknown',
                unknown
              )
            : trans.__('price unknown')
        ]
      : [])
  ].join(' · ');
}
