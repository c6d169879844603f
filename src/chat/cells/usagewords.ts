/** What a reply took, in words: time, tokens, price. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IPrice } from '../../base/run';
import {
  attemptsOf,
  costOf,
  dollars,
  shortCount,
  usageFacts,
  type IUsage
} from '../../document/usage';

/** The line below a reply, and the same in full. */
export interface IUsageWords {
  /** Empty if nothing is known. */
  usage: string;
  usageNote: string;
}

/**
 * Say what a reply took; what is unknown is left out.
 *
 * @param seconds - How long the last attempt took; undefined if that is unknown.
 */
export function usageWords(
  { usage, seconds }: { usage?: IUsage; seconds?: number },
  price: IPrice | null,
  trans: TranslationBundle
): IUsageWords {
  const facts = usageFacts(usage ?? {});
  const { input, cached, output, thought } = facts;
  const cost = costOf(facts, price);
  const { attempts, reported } = attemptsOf(usage);
  const line = [
    seconds !== undefined && duration(seconds, trans),
    input !== null &&
      (cached
        ? trans.__('%1 in (%2 cached)', shortCount(input), shortCount(cached))
        : trans.__('%1 in', shortCount(input))),
    output !== null && trans.__('%1 out', shortCount(output)),
    cost !== null && dollars(cost),
    attempts > 1 && trans.__('in %1 attempts', attempts)
  ];
  const note = [
    input !== null && trans.__('Sent: %1 tokens', input.toLocaleString('en')),
    cached !== null &&
      trans.__('of which from a cache: %1', cached.toLocaleString('en')),
    output !== null &&
      trans.__('Received: %1 tokens', output.toLocaleString('en')),
    thought !== null &&
      trans.__('of which reasoning: %1', thought.toLocaleString('en')),
    cost !== null &&
      facts.cost !== null &&
      trans.__('Price as the provider says'),
    cost !== null && facts.cost === null && priceNote(price, trans),
    reported < attempts &&
      trans.__('The provider counted %1 of %2 attempts.', reported, attempts)
  ];
  return {
    usage: usage || seconds !== undefined ? joined(line, ' · ') : '',
    usageNote: joined(note, '\n')
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

function joined(parts: (string | false)[], between: string): string {
  return parts.filter(part => part !== false).join(between);
}
