/** What the model menu lists: the models that match, in groups, and the details of each. */
import type { IModelInfo, IModelList } from '../base/run';
import { groupModels, splitId, type IModelOption } from '../runs/models';

/** How many models are listed at most; the others are found by searching. */
export const LISTED = 500;

/** A group of the menu: the recent models, or those of one provider. */
export interface IMenuGroup {
  /** The provider; null for the recent models. */
  readonly provider: string | null;
  readonly options: readonly IModelOption[];
}

/** What the menu lists. */
export interface IMenuModels {
  readonly groups: readonly IMenuGroup[];
  /** The listed models, in order. */
  readonly ids: readonly string[];
  /** How many more match. */
  readonly more: number;
}

/**
 * The models that match a search, the recent ones first; each is listed once.
 *
 * @param recent - The models used last, newest first.
 * @param search - Words that must all be in `provider/model`.
 */
export function menuModels(
  list: IModelList | null,
  current: string,
  recent: readonly string[],
  search: string
): IMenuModels {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = ({ id }: IModelOption) =>
    words.every(word => id.toLowerCase().includes(word));
  const all = groupModels(list, current);
  const known = new Map(
    all.flatMap(({ options }) => options).map(option => [option.id, option])
  );
  const used = recent.flatMap(id => known.get(id) ?? []);
  const isUsed = new Set(used.map(({ id }) => id));
  const wanted: IMenuGroup[] = [
    { provider: null, options: used },
    ...all.map(({ provider, options }) => ({
      provider,
      options: options.filter(({ id }) => !isUsed.has(id))
    }))
  ];
  let room = LISTED;
  let more = 0;
  const groups: IMenuGroup[] = [];
  for (const { provider, options } of wanted) {
    const found = options.filter(matches);
    // The current one is where the keyboard starts.
    const listed = found.filter(
      ({ id }, n) => n < room || (!words.length && id === current)
    );
    room = Math.max(0, room - listed.length);
    more += found.length - listed.length;
    if (listed.length) {
      groups.push({ provider, options: listed });
    }
  }
  const ids = groups.flatMap(({ options }) => options.map(({ id }) => id));
  return { groups, ids, more };
}

/** How far a page key moves. */
const PAGE = 10;

/** The place in a list of this length where a key leads; null for other keys. */
export function moved(at: number, count: number, key: string): number | null {
  const last = count - 1;
  switch (key) {
    case 'ArrowDown':
      return at >= last ? 0 : at + 1;
    case 'ArrowUp':
      return at <= 0 ? last : at - 1;
    case 'PageDown':
      return Math.min(last, at + PAGE);
    case 'PageUp':
      return Math.max(0, at - PAGE);
    default:
      return null;
  }
}

/** A number of tokens in short: 8k, 128k, 1M. */
export function shortTokens(tokens: number): string {
  if (tokens < 1000) {
    return `${tokens}`;
  }
  // Windows are given in thousands or in powers of two, and both are read as 128k.
  const unit = tokens % 1024 === 0 && tokens % 1000 !== 0 ? 1024 : 1000;
  const thousands = Math.round(tokens / unit);
  return thousands < 1000
    ? `${thousands}k`
    : `${Number((thousands / 1000).toFixed(1))}M`;
}

/** The prices of a million tokens, as `$2.50 / $10`; null if they are unknown. */
export function shortPrice(price: IModelInfo['price']): string | null {
  return price ? `${dollars(price.input)} / ${dollars(price.output)}` : null;
}

function dollars(amount: number): string {
  if (amount === 0) {
    return '$0';
  }
  const digits = amount >= 0.1 ? amount.toFixed(2) : amount.toPrecision(2);
  return `$${Number(digits) % 1 === 0 ? Number(digits) : digits}`;
}

/** The name of a listed model: among recent ones, its provider is part of it. */
export function nameIn(group: IMenuGroup, option: IModelOption): string {
  const { provider } = splitId(option.id);
  return group.provider === null && provider
    ? `${provider} / ${option.name}`
    : option.name;
}
