import fc from 'fast-check';

import { Budget, type IBudgetItem } from '../budget';

const LIMITS = { window: 128_000, softCap: 120_000, reserve: 800 };

const pairs = (...tokens: number[]): IBudgetItem[] =>
  tokens.map((size, index) => ({
    id: `p${index}`,
    kind: 'pair',
    tokens: size
  }));

/** The definition, word by word. */
function naive(items: IBudgetItem[], message: number, free: number): string[] {
  let used = message;
  for (const { kind, tokens } of items) {
    used += kind === 'pair' ? 0 : tokens;
  }
  const included: string[] = [];
  for (const { id, kind, tokens } of [...items].reverse()) {
    if (kind === 'pair') {
      used += tokens;
      if (used > free) {
        break;
      }
      included.unshift(id);
    }
  }
  return included;
}

const someItems = fc
  .array(
    fc.record({
      kind: fc.constantFrom(
        'system' as const,
        'options' as const,
        'pair' as const,
        'pair' as const
      ),
      tokens: fc.oneof(fc.nat(20), fc.nat(400))
    }),
    { maxLength: 60 }
  )
  .map(list => list.map((item, index) => ({ ...item, id: `c${index}` })));

const someLimits = fc
  .record({ softCap: fc.nat(3000), reserve: fc.nat(1000) })
  .map(limits => ({ ...limits, window: limits.softCap + 200 }));

describe('Budget', () => {
  it('includes everything that fits', () => {
    const state = new Budget(
      [{ id: 's', kind: 'system', tokens: 10 }, ...pairs(1, 2, 3)],
      LIMITS
    ).at(4);
    expect(state).toEqual({
      ...LIMITS,
      boundary: 0,
      first: 'p0',
      included: 3,
      visible: 3,
      total: 20,
      parts: { system: 10, options: 0, history: 6, message: 4 },
      overfull: false
    });
  });

  it('leaves out the first pair that does not fit and all before it', () => {
    const limits = { window: 110, softCap: 100, reserve: 10 };
    // From the newest: 20 and 30 fit into 90 - 5 - 5; 40 does not, and 1 is before it.
    const budget = new Budget(
      [
        ...pairs(1, 40, 30),
        { id: 's', kind: 'system', tokens: 5 },
        ...pairs(20)
      ],
      limits
    );
    expect(budget.at(5)).toMatchObject({
      boundary: 2,
      first: 'p2',
      included: 2,
      visible: 4,
      total: 60,
      overfull: false
    });
  });

  it('fills the soft cap to the last token and not beyond', () => {
    const budget = new Budget(pairs(50), {
      window: 0,
      softCap: 100,
      reserve: 10
    });
    expect(budget.at(40).included).toBe(1);
    expect(budget.at(41).included).toBe(0);
  });

  it('blocks nothing: a message that is too long is still counted and sent', () => {
    const budget = new Budget(pairs(0, 10), {
      window: 0,
      softCap: 100,
      reserve: 10
    });
    expect(budget.at(500)).toMatchObject({
      included: 0,
      first: null,
      total: 500,
      overfull: true
    });
  });

  it('agrees with the definition', () => {
    fc.assert(
      fc.property(
        someItems,
        fc.nat(2000),
        someLimits,
        (items, message, limits) => {
          const budget = new Budget(items, limits);
          const state = budget.at(message);
          const wanted = naive(items, message, limits.softCap - limits.reserve);
          const out = budget.out(state.boundary);
          expect(budget.pairs.slice(state.boundary)).toEqual(wanted);
          expect(state.included).toBe(wanted.length);
          expect(state.first).toBe(wanted[0] ?? null);
          expect(state.included + out.length).toBe(state.visible);
          expect(
            budget.pairs.filter(id => budget.isOut(id, state.boundary))
          ).toEqual(out);
          const size = (kind: string, ids: string[]) =>
            items
              .filter(item => item.kind === kind && ids.includes(item.id))
              .reduce((sum, { tokens }) => sum + tokens, 0);
          expect(state.parts).toEqual({
            options: size(
              'options',
              items.map(({ id }) => id)
            ),
            system: size(
              'system',
              items.map(({ id }) => id)
            ),
            history: size('pair', wanted),
            message
          });
          if (!state.overfull) {
            expect(state.total + state.reserve).toBeLessThanOrEqual(
              state.softCap
            );
          }
        }
      )
    );
  });

  it('never includes more with a longer message, and lists the pairs that moved', () => {
    fc.assert(
      fc.property(
        someItems,
        fc.nat(2000),
        fc.nat(500),
        someLimits,
        (items, message, more, limits) => {
          const budget = new Budget(items, limits);
          const before = budget.boundary(message);
          const after = budget.boundary(message + more);
          expect(after).toBeGreaterThanOrEqual(before);
          expect(budget.moved(before, after)).toEqual(
            budget.pairs.filter(
              id => budget.isOut(id, before) !== budget.isOut(id, after)
            )
          );
          expect(budget.moved(after, before)).toEqual(
            budget.moved(before, after)
          );
        }
      )
    );
  });

  it('looks at few pairs for each key press, however many there are', () => {
    const items = pairs(...Array.from({ length: 10_000 }, () => 250));
    const budget = new Budget(items, LIMITS);
    const sums = (budget as unknown as { _sums: Float64Array })._sums;
    let reads = 0;
    const counted = new Proxy(sums, {
      get: (target, key) => {
        reads += typeof key === 'string' && /^\d+$/.test(key) ? 1 : 0;
        return Reflect.get(target, key, target) as unknown;
      }
    });
    Object.assign(budget, { _sums: counted });
    expect(budget.at(100).included).toBe(476);
    expect(reads).toBeLessThan(40);
  });
});
