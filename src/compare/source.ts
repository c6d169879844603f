/** What is needed to read a side. */
import type { PartialJSONObject } from '@lumino/coreutils';

import { costOf, usageFacts } from '../document/usage';
import type { PriceOf } from '../session/prices';
import type { IFacts } from './side';

/** Where a side is read from. */
export interface ISource {
  /** What the file is called. */
  readonly title: string;
  /** The content of the file. */
  readonly notebook: unknown;
  readonly priceOf: PriceOf;
  /** The bytes of a run's request; null if the journal does not have them. */
  readonly getRequest: (runId: string) => Promise<Uint8Array | null>;
}

/** What a usage as a provider reports it says, with the price. */
export function usageOf(
  usage: PartialJSONObject | undefined | null,
  model: string,
  priceOf: PriceOf
): Pick<IFacts, 'input' | 'output' | 'cost'> {
  const facts = usageFacts(usage ?? {});
  const { input, output } = facts;
  return { input, output, cost: costOf(facts, priceOf(model)) };
}
