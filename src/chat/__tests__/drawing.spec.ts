import type { Cell } from '@jupyterlab/cells';

import { Drawing } from '../drawing';

type Idle = (deadline: { timeRemaining: () => number }) => void;

/** As much of a cell as drawing asks for. */
function makeCells(count: number) {
  return Array.from({ length: count }, () => ({
    inputArea: undefined as object | undefined,
    isFilteredOut: false
  }));
}

describe('Drawing', () => {
  let idle: Idle[] = [];
  let drawn: number[] = [];
  let active = -1;
  let cells = makeCells(0);
  let drawing: Drawing;

  /** Idle moments, each with time for one cell. */
  const rest = (moments: number) => {
    for (let n = 0; n < moments; n++) {
      idle.shift()?.({ timeRemaining: () => 0 });
    }
  };

  beforeEach(() => {
    idle = [];
    drawn = [];
    active = -1;
    cells = makeCells(40);
    Object.assign(globalThis, {
      window: Object.assign(new EventTarget(), { innerHeight: 250 }),
      requestIdleCallback: (callback: Idle) => idle.push(callback),
      cancelIdleCallback: () => {
        idle = [];
      }
    });
    drawing = new Drawing({
      cells: () => cells as unknown as Cell[],
      active: () => active,
      height: () => 100,
      draw: (_, place) => {
        drawn.push(place);
        cells[place].inputArea = {};
      }
    });
  });

  it('draws the last screenful at once and the rest from the end', () => {
    drawing.begin();
    expect(drawn).toEqual([39, 38, 37]);
    rest(2);
    expect(drawn).toEqual([39, 38, 37, 36, 35]);
    rest(100);
    expect(drawn).toHaveLength(40);
    expect(idle).toEqual([]);
  });

  it('takes the active cell first and then those around it', () => {
    active = 10;
    drawing.begin();
    expect(drawn).toEqual([10, 39, 38, 37]);
    rest(16);
    expect(drawn.slice(4).sort((a, b) => a - b)).toEqual([
      2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18
    ]);
  });

  it('passes over what the filter hides, until it is shown', () => {
    cells.slice(2).forEach(cell => (cell.isFilteredOut = true));
    drawing.begin();
    expect(drawn).toEqual([1, 0]);
    expect(idle).toEqual([]);
    cells.forEach(cell => (cell.isFilteredOut = false));
    drawing.begin();
    expect(drawn).toEqual([1, 0, 39, 38, 37]);
  });

  it('waits while somebody types', () => {
    jest.useFakeTimers({ now: 1e12 });
    window.dispatchEvent(new Event('keydown'));
    drawing.begin();
    expect(drawn).toEqual([39, 38, 37]);
    expect(idle).toEqual([]);
    jest.advanceTimersByTime(2000);
    rest(1);
    expect(drawn).toEqual([39, 38, 37, 36]);
    jest.useRealTimers();
  });

  it('goes on where cells came and went', () => {
    drawing.begin();
    cells.splice(5, 30);
    rest(100);
    expect(cells.every(({ inputArea }) => inputArea)).toBe(true);
  });

  it('ends when it is disposed', () => {
    drawing.begin();
    drawing.dispose();
    expect(drawing.isDisposed).toBe(true);
    expect(idle).toEqual([]);
  });
});
