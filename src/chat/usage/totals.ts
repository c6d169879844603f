/** What chats took: this one by its file, all of them by the journal. */
import type { IDayUsage, IPrice } from '../../base/run';
import {
  allTaken,
  byModel,
  type ITaken,
  type ITotal
} from '../../document/usagetotals';
import { isLocal } from '../../runs/localstate';
import type { ChatSession } from '../../session/session';
import type { PriceOf } from '../../session/prices';

/** The total of one day. */
export interface IDayTotal {
  /** When the day began in the user's time zone, in milliseconds since 1970. */
  start: number;
  models: Map<string, ITotal>;
}

/** What the runs of a chat took, by model, as its file says. */
export function chatTotals(
  session: Pick<ChatSession, 'context' | 'prices'>
): Map<string, ITotal> {
  const { context, prices } = session;
  const taken = allTaken(context.records.map(record => record.taken));
  return byModel(taken, withFree(prices.of));
}

/** When each of the last days began in the user's time zone, the first one first. */
export function dayStarts(count: number, now: Date): number[] {
  return Array.from({ length: count }, (_, n) =>
    // Days are not all 24 hours long.
    new Date(
      now.getFullYear(),
      now.getMonth(),
      now.getDate() - (count - 1 - n)
    ).getTime()
  );
}

/** The totals of days on which anything was sent, the last one first. */
export function dayTotals(
  days: readonly IDayUsage[],
  priceOf: PriceOf
): IDayTotal[] {
  const starts = [...new Set(days.map(({ start }) => start))];
  return starts
    .sort((a, b) => b - a)
    .map(start => ({
      start,
      models: byModel(
        days.filter(day => day.start === start).map(takenOn),
        withFree(priceOf)
      )
    }));
}

/** The prices of the models that have one. */
export function pricesOf(models: Iterable<string>, priceOf: PriceOf): IPrice[] {
  return [...new Set(models)].flatMap(model => priceOf(model) ?? []);
}

function takenOn({ start, provider, model, ...rest }: IDayUsage): ITaken {
  return { ...rest, model: `${provider}/${model}`, uncosted: 0 };
}

/** The embedded model and downloaded ones cost nothing. */
function withFree(priceOf: PriceOf): PriceOf {
  return model =>
    priceOf(model) ?? (isLocal(model) ? { input: 0, output: 0 } : null);
}
