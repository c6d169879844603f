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

/** A total for a table; `+ ?` says that there is more, which is unknown. */
export function totalWords(
  total: ITotal,
  trans: TranslationBundle
): ITotalWords {
  const { runs, input, cached, cost, output, unknown, unpriced } = total;
  const said = (text: string | null, missing: number) =>
    text === null ? trans.__('unknown') : withMore(text, missing);
  const read = input === null ? null : shortCount(input);
  return {
    requests: runs.toLocaleString('en'),
    input: said(
      read && cached
        ? trans.__('%1 (%2 cached)', read, shortCount(cached))
        : read,
      unknown
    ),
    output: said(output === null ? null : shortCount(output), unknown),
    price: said(cost === null ? null : dollars(cost), unpriced)
  };
}

/** A total in few words, for the status bar: its price, else its tokens, else its requests. */
export function shortTotal(total: ITotal, trans: TranslationBundle): string {
  const { cost, input, output, runs, unknown, unpriced } = total;
  if (cost !== null) {
    return withMore(dollars(cost), unpriced);
  }
  if (input !== null || output !== null) {
    const tokens = trans.__(
      '%1 tokens',
      shortCount((input ?? 0) + (output ?? 0))
    );
    return withMore(tokens, unknown);
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
    ...(listed.length === prices.length
      ? []
      : [
          listed.length
            ? trans.__('Prices of some models are from your settings.')
            : trans.__('Prices are from your settings.')
        ])
  ];
}

/** A sum; `+ ?` says that there is more, which is unknown. */
export function withMore(text: string, missing: number | boolean): string {
  return missing ? `${text} + ?` : text;
}
