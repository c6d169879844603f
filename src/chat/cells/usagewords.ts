/** What a reply took, in words: time, tokens, price. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IPrice } from '../../base/run';
import {
  attemptsOf,
  costOf,
  dollars,
  plus,
  shortCount,
  sumFacts,
  usageFacts,
  type IUsage
} from '../../document/usage';
import { withMore } from '../usage/totalwords';

/** The line below a reply, and the same in full. */
export interface IUsageWords {
  /** Empty if nothing is known. */
  usage: string;
  usageNote: string;
}

/** What a request took, and the price of its model. */
export interface IPricedUsage {
  usage?: IUsage;
  price: IPrice | null;
}

/**
 * Say what a reply took; what is unknown is left out.
 *
 * @param seconds - How long the last attempt took; undefined if that is unknown.
 * @param earlier - The requests of its turn before the last one.
 */
export function usageWords(
  { usage, seconds }: { usage?: IUsage; seconds?: number },
  price: IPrice | null,
  trans: TranslationBundle,
  earlier: readonly IPricedUsage[] = []
): IUsageWords {
  const all = [...earlier, { usage, price }].map(one => {
    const facts = usageFacts(one.usage ?? {});
    const cost = costOf(facts, one.price);
    return { ...one, facts, cost, ...attemptsOf(one.usage) };
  });
  const { input, cached, output, thought } = sumFacts(
    all.map(({ facts }) => facts)
  );
  const cost = all.map(one => one.cost).reduce(plus);
  const attempts = sumOf(all.map(one => one.attempts));
  const reported = sumOf(
    all.map(one => (one.usage || !earlier.length ? one.reported : 0))
  );
  const isUnpriced = cost !== null && all.some(one => one.cost === null);
  const line = [
    seconds !== undefined && duration(seconds, trans),
    input !== null &&
      (cached
        ? trans.__('%1 in (%2 cached)', shortCount(input), shortCount(cached))
        : trans.__('%1 in', shortCount(input))),
    output !== null && trans.__('%1 out', shortCount(output)),
    cost !== null && withMore(dollars(cost), isUnpriced),
    earlier.length > 0
      ? trans.__('in %1 requests', attempts)
      : attempts > 1 && trans.__('in %1 attempts', attempts)
  ];
  const prices = all.flatMap(({ cost: known, facts, price: by }) => {
    const says = trans.__('Price as the provider says');
    return known === null
      ? []
      : [facts.cost === null ? priceNote(by, trans) : says];
  });
  const note = [
    input !== null && trans.__('Sent: %1 tokens', input.toLocaleString('en')),
    cached !== null &&
      trans.__('of which from a cache: %1', cached.toLocaleString('en')),
    output !== null &&
      trans.__('Received: %1 tokens', output.toLocaleString('en')),
    thought !== null &&
      trans.__('of which reasoning: %1', thought.toLocaleString('en')),
    ...new Set(prices),
    earlier.length > 0 &&
      seconds !== undefined &&
      trans.__('The time is that of the last request.'),
    reported < attempts &&
      (earlier.length
        ? trans.__(
            'The provider counted %1 of %2 requests.',
            reported,
            attempts
          )
        : trans.__(
            'The provider counted %1 of %2 attempts.',
            reported,
            attempts
          ))
  ];
  const isKnown = all.some(one => one.usage) || seconds !== undefined;
  return {
    usage: isKnown ? joined(line, ' · ') : '',
    usageNote: isKnown ? joined(note, '\n') : ''
  };
}

/** Where a price comes from. */
export function priceNote(
  price: IPrice | null,
  trans: TranslationBundle
): string {
  const { input = 0, output = 0, asOf, source } = price ?? {};
  if (!source) {
    return trans.__(
      'Price by your settings: %1 per million tokens sent, %2 received',
      dollars(input),
      dollars(output)
    );
  }
  return asOf
    ? trans.__(
        'Price by the list of %3: %1 per million tokens sent, %2 received',
        dollars(input),
        dollars(output),
        asOf
      )
    : trans.__(
        'Price by the list: %1 per million tokens sent, %2 received',
        dollars(input),
        dollars(output)
      );
}

function duration(seconds: number, trans: TranslationBundle): string {
  const whole = Math.round(seconds);
  return whole < 60
    ? trans.__('%1 s', whole < 10 ? Number(seconds.toFixed(1)) : whole)
    : trans.__('%1 min %2 s', Math.floor(whole / 60), whole % 60);
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function joined(parts: (string | false)[], between: string): string {
  return parts.filter(part => part !== false).join(between);
}
