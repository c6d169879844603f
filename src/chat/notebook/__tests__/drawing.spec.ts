import type { Cell } from '@jupyterlab/cells';

import { Drawing } from '../drawing';

type Idle = (deadline: { timeRemaining: () => number }) => void;

type Near = (entries: { target: object; isIntersecting: boolean }[]) => void;

/** The part of a cell that drawing uses. */
function makeCells(count: number) {
  return Array.from({ length: count }, () => ({
    inputArea: undefined as object | undefined,
    isFilteredOut: false,
    isGap: false,
    node: { getBoundingClientRect: () => LARGE }
  }));
}

/** A cell that is larger than the view: what is missing beside it is near, and not in sight. */
const LARGE = { top: -200, bottom: 300 };

describe('Drawing', () => {
  let idle: Idle[] = [];
  let drawn: number[] = [];
  let active = -1;
  let cells = makeCells(0);
  let drawing: Drawing;
  let watched = new Set<object>();
  let tell: Near = () => undefined;

  /** Idle periods, each with time for one cell. */
  const rest = (moments: number) => {
    for (let n = 0; n < moments; n++) {
      idle.shift()?.({ timeRemaining: () => 0 });
    }
  };

  /** The indices of observed cells. */
  const ends = () =>
    cells.flatMap(({ node }, place) => (watched.has(node) ? [place] : []));

  /** The indices after which a gap is marked. */
  const gaps = () =>
    cells.flatMap(({ isGap }, place) => (isGap ? [place] : []));

  /** Let the view come near some of the observed cells. */
  const see = (...places: number[]) => {
    expect(ends()).toEqual(expect.arrayContaining(places));
    tell(
      ends().map(place => ({
        target: cells[place].node,
        isIntersecting: places.includes(place)
      }))
    );
  };

  beforeEach(() => {
    idle = [];
    drawn = [];
    active = -1;
    cells = makeCells(140);
    watched = new Set();
    Object.assign(globalThis, {
      window: new EventTarget(),
      IntersectionObserver: class {
        constructor(callback: Near) {
          tell = callback;
        }
        observe(node: object) {
          watched.add(node);
        }
        disconnect() {
          watched.clear();
        }
      },
      requestIdleCallback: (callback: Idle) => idle.push(callback),
      cancelIdleCallback: () => {
        idle = [];
      }
    });
    drawing = new Drawing({
      cells: () => cells as unknown as Cell[],
      active: () => active,
      height: () => 100,
      view: () =>
        ({
          clientHeight: 250,
          getBoundingClientRect: () => ({ top: 0, bottom: 250 })
        }) as Element,
      draw: (_, place) => {
        drawn.push(place);
        cells[place].inputArea = {};
      },
      gap: (cell, isGap) => {
        (cell as unknown as (typeof cells)[0]).isGap = isGap;
      }
    });
  });

  it('draws the last screenful at once, and nothing more unless the view comes near', () => {
    drawing.begin();
    expect(drawn).toEqual([139, 138, 137]);
    expect(ends()).toEqual([137]);
    see();
    expect(idle).toEqual([]);
    see(137);
    rest(2);
    expect(drawn).toEqual([139, 138, 137, 136, 135]);
    rest(100);
    expect(drawn).toHaveLength(15);
    expect(ends()).toEqual([125]);
    while (ends().length) {
      see(...ends());
      rest(100);
    }
    expect(drawn).toHaveLength(140);
    expect(idle).toEqual([]);
  });

  it('draws the active cell first, and then both sides of it', () => {
    active = 20;
    drawing.begin();
    expect(drawn).toEqual([20, 139, 138, 137]);
    expect(ends()).toEqual([20, 137]);
    see(20);
    rest(100);
    expect([...drawn].sort((a, b) => a - b)).toEqual([
      ...Array.from({ length: 25 }, (_, n) => 8 + n),
      137,
      138,
      139
    ]);
    expect(ends()).toEqual([8, 32, 137]);
    expect(gaps()).toEqual([32]);
    while (ends().length > 1) {
      see(ends().pop()!);
      rest(100);
    }
    expect(ends()).toEqual([8]);
    expect(gaps()).toEqual([]);
  });

  it('draws a short chat, or what a filter leaves of a long one, from its end', () => {
    cells.slice(40).forEach(cell => (cell.isFilteredOut = true));
    drawing.begin();
    expect(drawn).toEqual([39, 38, 37]);
    rest(2);
    expect(drawn).toEqual([39, 38, 37, 36, 35]);
    rest(100);
    expect(drawn).toHaveLength(40);
    expect(ends()).toEqual([]);
    expect(idle).toEqual([]);
    cells.forEach(cell => (cell.isFilteredOut = false));
    drawing.begin();
    expect(drawn.slice(40)).toEqual([139, 138, 137]);
    expect(ends()).toEqual([39, 137]);
  });

  it('draws cells that are missing in sight without waiting for an idle page, not all at once', () => {
    jest.useFakeTimers();
    // Each cell takes 20 milliseconds.
    const clock = jest
      .spyOn(performance, 'now')
      .mockImplementation(() => 20 * drawn.length);
    try {
      drawing.begin();
      // The user has scrolled past the first cell that is drawn.
      cells[137].node.getBoundingClientRect = () => ({ top: 50, bottom: 150 });
      see(137);
      expect(idle).toEqual([]);
      expect(drawn).toHaveLength(3);
      jest.runOnlyPendingTimers();
      expect(drawn.slice(3)).toEqual([136, 135]);
      jest.runAllTimers();
      expect(drawn).toHaveLength(15);
      expect(ends()).toEqual([125]);
      expect(idle).toEqual([]);
    } finally {
      clock.mockRestore();
      jest.useRealTimers();
    }
  });

  it('waits while the user types', () => {
    jest.useFakeTimers({ now: 1e12 });
    drawing.begin();
    window.dispatchEvent(new Event('input'));
    see(137);
    expect(idle).toEqual([]);
    expect(drawn).toEqual([139, 138, 137]);
    jest.advanceTimersByTime(2000);
    see(137);
    rest(1);
    expect(drawn).toEqual([139, 138, 137, 136]);
    jest.useRealTimers();
  });

  it('continues where cells were added and removed', () => {
    drawing.begin();
    see(137);
    cells.splice(5, 130);
    rest(100);
    expect(cells).toHaveLength(10);
    expect(cells.every(({ inputArea }) => inputArea)).toBe(true);
  });

  it('stops when it is disposed', () => {
    drawing.begin();
    see(137);
    drawing.dispose();
    expect(drawing.isDisposed).toBe(true);
    expect(idle).toEqual([]);
    expect(ends()).toEqual([]);
  });
});
