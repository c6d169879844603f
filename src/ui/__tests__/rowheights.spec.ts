import * as fc from 'fast-check';

import { RowHeights } from '../rowheights';

const ids = (count: number) => Array.from({ length: count }, (_, n) => `r${n}`);

describe('RowHeights', () => {
  it('estimates heights until rows are rendered', () => {
    const rows = new RowHeights(30);
    rows.ids = ids(2000);
    expect(rows.total).toBe(60_000);
    expect(rows.measure('r3', 100)).toBe(70);
    expect(rows.total).toBe(60_070);
    expect(rows.top(3)).toBe(90);
    expect(rows.top(4)).toBe(190);
  });

  it('renders the visible rows and a few more', () => {
    const rows = new RowHeights(30);
    rows.ids = ids(2000);
    expect(rows.range(0, 600, 5)).toEqual({ first: 0, end: 26 });
    expect(rows.range(3000, 600, 5)).toEqual({ first: 95, end: 126 });
    expect(rows.range(59_400, 600, 5)).toEqual({ first: 1975, end: 2000 });
  });

  it('renders nothing for an empty list', () => {
    const rows = new RowHeights(30);
    expect(rows.range(0, 600, 5)).toEqual({ first: 0, end: 0 });
    expect(rows.total).toBe(0);
  });

  it('remembers heights when rows are added, removed and moved', () => {
    const rows = new RowHeights(10);
    rows.ids = ['a', 'b', 'c'];
    rows.measure('b', 50);
    rows.ids = ['b', 'x', 'a'];
    expect([0, 1, 2, 3].map(n => rows.top(n))).toEqual([0, 50, 60, 70]);
  });

  it('finds the row at any position', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        (heights, part) => {
          const rows = new RowHeights(20);
          rows.ids = ids(heights.length);
          heights.forEach((height, n) => rows.measure(`r${n}`, height));
          const y = part * rows.total;
          const index = rows.at(y);
          expect(rows.top(index)).toBeLessThanOrEqual(y);
          expect(rows.top(index + 1)).toBeGreaterThan(y);
        }
      )
    );
  });

  it('estimates from the first rendered rows, once', () => {
    const heights = new RowHeights(10);
    heights.ids = ['a', 'b', 'c', 'd'];
    heights.learn();
    expect(heights.total).toBe(40);
    heights.measure('a', 20);
    heights.measure('b', 31);
    heights.learn();
    expect(heights.total).toBe(20 + 31 + 26 + 26);
    heights.measure('c', 100);
    heights.learn();
    expect(heights.total).toBe(20 + 31 + 100 + 26);
  });
});
