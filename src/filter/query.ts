/** The comparisons of a filter; `:` is another way to write `=`. */
export type Comparison = '=' | '<' | '<=' | '>' | '>=';

/** The flags of `is:`. */
export const FLAGS = [
  'in',
  'out',
  'error',
  'edited',
  'stopped',
  'pending',
  'new',
  'system'
] as const;

/** The contents of `has:`. */
export const CONTENTS = [
  'tool',
  'code',
  'image',
  'unsent',
  'versions',
  'siblings'
] as const;

/** The units of `age`. */
export const UNITS = ['min', 'h', 'd', 'w', 'mo', 'y'] as const;

/** A flag of `is:`. */
export type Flag = (typeof FLAGS)[number];

/** A content of `has:`. */
export type Content = (typeof CONTENTS)[number];

/** A unit of `age`. */
export type Unit = (typeof UNITS)[number];

/** Which side of a pair a text is searched in. */
export type Side = 'both' | 'user' | 'reply';

/** One condition on a pair. */
export type Term =
  | { kind: 'text'; side: Side; text: string }
  | { kind: 'topic'; glob: string }
  | { kind: 'model'; glob: string }
  | { kind: 'star'; op: Comparison; value: number }
  | { kind: 'tokens'; op: Comparison; value: number }
  | { kind: 'is'; flag: Flag }
  | { kind: 'has'; content: Content }
  | { kind: 'age'; op: Comparison; amount: number; unit: Unit }
  | { kind: 'date'; op: Comparison; date: string }
  | { kind: 'dates'; from: string; to: string }
  | { kind: 'id'; tail: string };

/** Joined conditions; `and` and `or` have at least two members. */
export type Expression =
  | { kind: 'or'; of: Expression[] }
  | { kind: 'and'; of: Expression[] }
  | { kind: 'not'; of: Expression }
  | Term;

/** A filter as a plain value: what pairs must match, and how many of those are kept. */
export interface Query {
  where: Expression | null;
  last: number | null;
}

/** Whether a query leaves everything visible. */
export function isEmpty(query: Query): boolean {
  return query.where === null && query.last === null;
}
