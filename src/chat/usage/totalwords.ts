/** Totals in words; what is unknown is said, and never 0. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IPrice } from '../../base/run';
import { dollars, shortCount } from '../../document/usage';
import type { ITotal } from '../../document/usagetotals';

/** A total as the cells of a table row. */
export interface ITotalWords {
  requests: string;
  input: string;
  output: string;
  price: string;
}

/** A total for a table. */
export function totalWords(
  total: ITotal,
  trans: TranslationBundle
): ITotalWords {
  const { runs, input, cached, output, unknown } = total;
  const more = (text: string, missing: number) =>
    missing ? trans.__('%1 + unknown', text) : text;
  return {
    requests: runs.toLocaleString('en'),
    input:
      input === null
        ? trans.__('unknown')
        : more(
            cached
              ? trans.__(
                  '%1 (%2 cached)',
                  shortCount(input),
                  shortCount(cached)
                )
              : shortCount(input),
            unknown
          ),
    output:
      output === null ? trans.__('unknown') : more(shortCount(output), unknown),
    price: priceWords(total, trans)
  };
}

/** The price of a total. */
export function priceWords(
  { cost, unpriced }: ITotal,
  trans: TranslationBundle
): string {
  return cost === null
    ? trans.__('unknown')
    : unpriced
      ? trans.__('%1 + unknown', dollars(cost))
      : dollars(cost);
}

/** A total in few words, for the status bar: its price, else its tokens, else its requests. */
export function shortTotal(total: ITotal, trans: TranslationBundle): string {
  const { cost, input, output, runs, unknown, unpriced } = total;
  if (cost !== null) {
    return unpriced ? `${dollars(cost)} + ?` : dollars(cost);
  }
  if (input !== null || output !== null) {
    const tokens = trans.__(
      '%1 tokens',
      shortCount((input ?? 0) + (output ?? 0))
    );
    return unknown ? `${tokens} + ?` : tokens;
  }
  return trans._n('%1 request', '%1 requests', runs);
}

/** What the sums lack. */
export function gapWords(
  { unknown, unpriced }: ITotal,
  trans: TranslationBundle
): string[] {
  return [
    ...(unknown
      ? [
          trans._n(
            'The provider did not report the tokens of %1 request; the sums do not include them.',
            'The provider did not report the tokens of %1 requests; the sums do not include them.',
            unknown
          )
        ]
      : []),
    ...(unpriced
      ? [
          trans._n(
            'The price of %1 request is unknown; the sums do not include it.',
            'The price of %1 requests is unknown; the sums do not include it.',
            unpriced
          )
        ]
      : [])
  ];
}

/** Where prices come from and how old they are. */
export function sourceWords(
  prices: readonly IPrice[],
  trans: TranslationBundle
): string[] {
  const listed = prices.filter(({ source }) => source !== undefined);
  const dates = [...new Set(listed.flatMap(({ asOf }) => asOf ?? []))].sort();
  return [
    ...(dates.length
      ? [trans.__('Prices are those of the lists of %1.', dates.join(', '))]
      : listed.length
        ? [trans.__('Prices are those of the providers’ lists.')]
        : []),
    ...(listed.length < prices.length
      ? [trans.__('Prices of some models are from your settings.')]
      : [])
  ];
}
