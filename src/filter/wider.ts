import { evaluate } from './evaluate';
import type { IFilterPair } from './predicate';
import { print } from './print';
import type { Expression, Query } from './query';

/** A filter that finds more than another one. */
export interface IWider {
  text: string;
  /** How many pairs it shows. */
  pairs: number;
}

/** The same filter with everything below its topics; null if that shows no pair either. */
export function wider(
  query: Query | null,
  cells: readonly IFilterPair[],
  now: number
): IWider | null {
  if (!query?.where) {
    return null;
  }
  const more = { ...query, where: widened(query.where) };
  const text = print(more);
  if (text === print(query)) {
    return null;
  }
  const visible = evaluate(more, cells, now);
  const pairs = cells.filter(
    ({ kind }, index) => kind === 'pair' && visible[index]
  ).length;
  return pairs ? { text, pairs } : null;
}

function widened(expression: Expression): Expression {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return { ...expression, of: expression.of.map(widened) };
    case 'topic':
      return expression.glob === '' || expression.glob.includes('*')
        ? expression
        : { ...expression, glob: `${expression.glob}/**` };
    default:
      return expression;
  }
}
