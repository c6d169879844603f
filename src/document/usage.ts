/** What a reply took: the tokens as the provider counted them, and what they cost. */
import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

import { isObject } from '../base/json';
import type { IPrice } from '../base/run';

/** The usage of a reply, as the provider reported it; of several attempts, the sum. */
export interface IUsage extends PartialJSONObject {
  /** The number of attempts that this is the sum of, if several. */
  attempts?: number;
  /** The number of attempts without reported usage. */
  unreported?: number;
}

/** How many attempts a usage is the sum of, and of how many the provider reported something. */
export function attemptsOf(usage: IUsage | undefined): {
  attempts: number;
  reported: number;
} {
  const attempts = count(usage?.attempts) ?? 1;
  const silent = count(usage?.unreported) ?? 0;
  return { attempts, reported: Math.max(0, attempts - silent) };
}

/** What all providers mean, whatever they call it; null is unknown, which is not 0. */
export interface IUsageFacts {
  input: number | null;
  /** The part of the input that was read from a cache. */
  cached: number | null;
  output: number | null;
  /** The part of the output that was reasoning. */
  thought: number | null;
  /** Dollars, if the provider says so itself. */
  cost: number | null;
}

/** Keys that a usage has only from us, as a sum. */
const OURS = ['attempts', 'unreported'];

/** How much of a provider's usage is kept, as JSON; it is a few hundred bytes. */
const MAX_LENGTH = 4_000;

/**
 * Read the usage in a chunk; null if there is none.
 *
 * A key of the provider that looks like one of ours gets one more `_` in front.
 */
export function readUsage(value: unknown): IUsage | null {
  if (!isObject(value)) {
    return null;
  }
  const { input, output } = usageFacts(value);
  const total = count(value.total_tokens);
  const isUsage = [input, output, total].some(number => number !== null);
  if (!isUsage) {
    return null;
  }
  return JSON.stringify(value).length <= MAX_LENGTH
    ? withoutOurs(value)
    : Object.fromEntries(
        COUNTS.flatMap(key =>
          count(value[key]) === null ? [] : [[key, value[key]]]
        )
      );
}

function withoutOurs(usage: PartialJSONObject): PartialJSONObject {
  const isOurs = (key: string) => OURS.includes(key.replace(/^_+/, ''));
  const entries = Object.entries(usage);
  return entries.some(([key]) => isOurs(key))
    ? Object.fromEntries(
        entries.map(([key, value]) => [isOurs(key) ? `_${key}` : key, value])
      )
    : usage;
}

const COUNTS = ['prompt_tokens', 'completion_tokens', 'total_tokens'];

/**
 * The usage of a reply: the sum over its attempts, and how many there were.
 *
 * Undefined if the provider reported none.
 */
export function sumUsage(
  usages: readonly (IUsage | null)[]
): IUsage | undefined {
  const counted = usages.filter(usage => usage !== null);
  if (!counted.length) {
    return undefined;
  }
  const unreported = usages.length - counted.length;
  return {
    ...(counted.reduce<PartialJSONValue>(sum, {}) as PartialJSONObject),
    ...(usages.length > 1 ? { attempts: usages.length } : {}),
    ...(unreported ? { unreported } : {})
  };
}

/** The facts in a usage. */
export function usageFacts(usage: PartialJSONObject): IUsageFacts {
  const input = objectAt(usage, 'prompt_tokens_details');
  const output = objectAt(usage, 'completion_tokens_details');
  return {
    input: count(usage.prompt_tokens),
    cached:
      count(input.cached_tokens) ??
      count(usage.prompt_cache_hit_tokens) ??
      count(usage.cache_read_input_tokens),
    output: count(usage.completion_tokens),
    thought: count(output.reasoning_tokens),
    cost: count(usage.cost)
  };
}

/** The facts of several usages together: unknown is only what is unknown of all. */
export function sumFacts(all: readonly IUsageFacts[]): IUsageFacts {
  return all.reduce((one, other) => ({
    input: plus(one.input, other.input),
    cached: plus(one.cached, other.cached),
    output: plus(one.output, other.output),
    thought: plus(one.thought, other.thought),
    cost: plus(one.cost, other.cost)
  }));
}

/** The sum of what is known; null if nothing is. */
export function plus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : a + b;
}

/** What a usage costs in dollars; null if that cannot be known. */
export function costOf(
  { input, cached, output, cost }: IUsageFacts,
  price: IPrice | null
): number | null {
  if (cost !== null || !price || input === null || output === null) {
    return cost;
  }
  const known = Math.min(cached ?? 0, input);
  const dollars =
    (input - known) * price.input +
    known * (price.cached ?? price.input) +
    output * price.output;
  return dollars / 1e6;
}

/** Dollars with as many digits as matter: `$1.24`, `$0.08`, `$0.0031`; less is `<$0.0001`. */
export function dollars(amount: number): string {
  if (amount === 0 || amount >= 0.01) {
    return `$${amount.toFixed(2)}`;
  }
  return amount < 0.0001 ? '<$0.0001' : `$${amount.toPrecision(2)}`;
}

/** A number of tokens in few characters: `850`, `1.2k`, `45k`, `1.3M`. */
export function shortCount(tokens: number): string {
  if (tokens < 1000) {
    return String(tokens);
  }
  const [size, unit] = tokens < 999_500 ? [1e3, 'k'] : [1e6, 'M'];
  const scaled = tokens / size;
  return `${scaled < 9.95 ? Number(scaled.toFixed(1)) : Math.round(scaled)}${unit}`;
}

/** Add numbers, also inside objects; of anything else, the later one counts. */
function sum(
  before: PartialJSONValue,
  next: PartialJSONValue
): PartialJSONValue {
  if (typeof before === 'number' && typeof next === 'number') {
    return before + next;
  }
  if (!isObject(before) || !isObject(next)) {
    return next;
  }
  const total = new Map(Object.entries(before));
  for (const [key, value = null] of Object.entries(next)) {
    const known = total.get(key);
    total.set(key, known === undefined ? value : sum(known, value));
  }
  return Object.fromEntries(total);
}

/** A count; null for anything that is none. */
function count(value: unknown): number | null {
  return typeof value === 'number' &&
    value >= 0 &&
    value <= Number.MAX_SAFE_INTEGER
    ? value
    : null;
}

function objectAt(value: PartialJSONObject, key: string): PartialJSONObject {
  const inner: unknown = value[key];
  return isObject(inner) ? inner : {};
}
