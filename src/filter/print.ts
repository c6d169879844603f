import type { Comparison, Expression, Query } from './query';
import { quoteValue, quoteWord } from './quote';

/** Print the canonical form of a query; parsing it gives the same query. */
export function print(query: Query): string {
  const { where, last } = query;
  const parts: string[] = [];
  if (where) {
    const text = printExpression(where);
    parts.push(last !== null && where.kind === 'or' ? `(${text})` : text);
  }
  if (last !== null) {
    parts.push(`last:${last}`);
  }
  return parts.join(' ');
}

function printExpression(expression: Expression): string {
  switch (expression.kind) {
    case 'or':
      return expression.of.map(member => inside(member, 'or')).join(' OR ');
    case 'and':
      return expression.of.map(member => inside(member, 'or', 'and')).join(' ');
    case 'not':
      return `-${inside(expression.of, 'or', 'and')}`;
    case 'text':
      return expression.side === 'both'
        ? quoteWord(expression.text)
        : `${expression.side}:${quoteValue(expression.text)}`;
    case 'topic':
    case 'model':
      return `${expression.kind}:${quoteValue(expression.glob)}`;
    case 'star':
    case 'tokens':
      return expression.kind + shown(expression.op) + expression.value;
    case 'is':
      return `is:${expression.flag}`;
    case 'has':
      return `has:${expression.content}`;
    case 'age':
      return `age${shown(expression.op)}${expression.amount}${expression.unit}`;
    case 'date':
      return `date${shown(expression.op)}${expression.date}`;
    case 'dates':
      return `date:${expression.from}..${expression.to}`;
    case 'id':
      return `id:${quoteValue(expression.tail)}`;
  }
}

/** Print a member, in parentheses if it would otherwise be parsed differently. */
function inside(member: Expression, ...apart: Expression['kind'][]): string {
  const text = printExpression(member);
  return apart.includes(member.kind) ? `(${text})` : text;
}

function shown(op: Comparison): string {
  return op === '=' ? ':' : op;
}
