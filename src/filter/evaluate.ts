import { compile, type IFilterPair } from './predicate';
import type { Expression, Query } from './query';

/**
 * Return 1 for each cell that stays visible and 0 for the others, in order.
 *
 * Filters hide pairs. Notes always stay. System cells stay unless the query excludes them whatever
 * its other terms say, as `-is:system topic:x` does and `topic:x` does not.
 */
export function evaluate(
  query: Query | null,
  pairs: readonly IFilterPair[],
  now: number
): Uint8Array {
  const visible = new Uint8Array(pairs.length).fill(1);
  if (query) {
    const matches = compile(query.where, now);
    const system = showsSystem(query) ? 1 : 0;
    pairs.forEach((pair, index) => {
      if (pair.kind === 'system') {
        visible[index] = system;
      } else if (pair.kind === 'pair') {
        visible[index] = matches(pair) ? 1 : 0;
      }
    });
    if (query.last !== null) {
      keepLast(query.last, pairs, visible);
    }
  }
  return visible;
}

function keepLast(
  count: number,
  pairs: readonly IFilterPair[],
  visible: Uint8Array
): void {
  let left = count;
  for (let index = pairs.length - 1; index >= 0; index--) {
    if (visible[index] && pairs[index].kind === 'pair' && left-- <= 0) {
      visible[index] = 0;
    }
  }
}

/** Whether system cells stay visible under a query. */
export function showsSystem(query: Query): boolean {
  return query.where === null || onSystem(query.where) !== false;
}

/**
 * What an expression says about a system cell: only `is:system` applies to it; all other terms
 * leave it undecided (null).
 */
function onSystem(expression: Expression): boolean | null {
  switch (expression.kind) {
    case 'is':
      return expression.flag === 'system' ? true : null;
    case 'not': {
      const inner = onSystem(expression.of);
      return inner === null ? null : !inner;
    }
    case 'and':
    case 'or': {
      const decisive = expression.kind === 'or';
      const members = expression.of.map(onSystem);
      if (members.includes(decisive)) {
        return decisive;
      }
      return members.includes(null) ? null : !decisive;
    }
    default:
      return null;
  }
}
