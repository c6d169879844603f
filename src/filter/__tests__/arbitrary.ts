import * as fc from 'fast-check';

import {
  CONTENTS,
  FLAGS,
  UNITS,
  type Comparison,
  type Expression,
  type Query,
  type Term
} from '../query';

const natural = fc.nat(999_999_999);
const anyOp = fc.constantFrom<Comparison>('=', '<', '<=', '>', '>=');
const order = fc.constantFrom<Comparison>('<', '<=', '>', '>=');

const text = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.string({ minLength: 1, unit: 'binary' }),
  fc.constantFrom('OR', 'NOT', 'AND', '-', '\\', '"', '\\"', 'a:b', 'x y', '()')
);

const date = fc
  .record({
    year: fc.integer({ min: 0, max: 9999 }),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.integer({ min: 1, max: 28 })
  })
  .map(({ year, month, day }) =>
    [
      String(year).padStart(4, '0'),
      String(month).padStart(2, '0'),
      String(day).padStart(2, '0')
    ].join('-')
  );

const topic = fc
  .array(
    fc.oneof(
      fc.constantFrom('*', '**', 'ml', 'nlp', 'a b', 'ü*', '"', 'x:y', '-'),
      fc.string({ minLength: 1, maxLength: 8 })
    ),
    { maxLength: 4 }
  )
  .map(parts =>
    parts
      .map(part => part.replace(/\//g, '').replace(/\s+/g, ' ').trim())
      .filter(Boolean)
      .join('/')
  );

/** Any condition. */
export const anyTerm: fc.Arbitrary<Term> = fc.oneof(
  fc.record({
    kind: fc.constant('text' as const),
    side: fc.constantFrom('both' as const, 'user' as const, 'reply' as const),
    text
  }),
  fc.record({ kind: fc.constant('topic' as const), glob: topic }),
  fc.record({ kind: fc.constant('model' as const), glob: text }),
  fc.record({
    kind: fc.constant('star' as const),
    op: anyOp,
    value: fc.nat(3)
  }),
  fc.record({
    kind: fc.constant('tokens' as const),
    op: anyOp,
    value: natural
  }),
  fc.record({
    kind: fc.constant('is' as const),
    flag: fc.constantFrom(...FLAGS)
  }),
  fc.record({
    kind: fc.constant('has' as const),
    content: fc.constantFrom(...CONTENTS)
  }),
  fc.record({
    kind: fc.constant('age' as const),
    op: order,
    amount: natural,
    unit: fc.constantFrom(...UNITS)
  }),
  fc.record({ kind: fc.constant('date' as const), op: anyOp, date }),
  fc.tuple(date, date).map(dates => {
    const [from, to] = dates.sort();
    return { kind: 'dates' as const, from, to };
  }),
  fc.record({ kind: fc.constant('id' as const), tail: text })
);

/** Any condition or combination of conditions. */
export const anyExpression: fc.Arbitrary<Expression> = fc.letrec<{
  expression: Expression;
}>(tie => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    anyTerm,
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      of: fc.array(tie('expression'), { minLength: 2, maxLength: 4 })
    }),
    fc.record({ kind: fc.constant('not' as const), of: tie('expression') })
  )
})).expression;

/** Any query. */
export const anyQuery: fc.Arbitrary<Query> = fc.record({
  where: fc.option(anyExpression),
  last: fc.option(natural)
});
