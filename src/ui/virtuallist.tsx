import * as React from 'react';
import { flushSync } from 'react-dom';

import { RowHeights } from './rowheights';

/** How many rows are rendered beyond the visible ones. */
const BEYOND = 6;

/** The height of a row that was never rendered. */
const GUESS = 33;

export interface IVirtualListProps {
  /** The accessible name of the list. */
  label: string;
  /** The rows, in order; the same array until they change. */
  ids: readonly string[];
  /** Render a row. */
  row(id: string, index: number): React.ReactElement;
  /** A row that stays in the page even out of view, because it has the focus. */
  pinned: string | null;
  /** Whether keys scroll the list itself, since its rows have nothing to focus. */
  scrollsByKeys?: boolean;
}

export interface IVirtualList {
  /** Scroll a row into view. */
  reveal(id: string): void;
}

/** A list of any length of which only the rows near the window are in the page. */
export const VirtualList = React.forwardRef<IVirtualList, IVirtualListProps>(
  (props, ref) => {
    const { ids, label, pinned, row } = props;
    const [heights] = React.useState(() => new RowHeights(GUESS));
    const scroller = React.useRef<HTMLDivElement>(null);
    const [, redraw] = React.useReducer((n: number) => n + 1, 0);
    // Before the frame is painted: a row that comes a frame late is visible as a gap.
    const redrawNow = React.useCallback(() => flushSync(redraw), []);
    const [view] = React.useState({ top: 0, height: 600 });
    heights.ids = ids;

    const observer = useRowObserver(heights, scroller, redrawNow);
    React.useEffect(() => {
      const node = scroller.current!;
      const watch = new ResizeObserver(() => {
        if (node.clientHeight !== view.height) {
          view.height = node.clientHeight;
          redraw();
        }
      });
      watch.observe(node);
      return () => watch.disconnect();
    }, [view]);
    React.useImperativeHandle(
      ref,
      () => ({
        reveal: id => {
          const node = scroller.current;
          const index = heights.ids.indexOf(id);
          if (!node || index === -1) {
            return;
          }
          const top = heights.top(index);
          const end = heights.top(index + 1);
          if (top < node.scrollTop || end - top > node.clientHeight) {
            node.scrollTop = top;
          } else if (end > node.scrollTop + node.clientHeight) {
            node.scrollTop = end - node.clientHeight;
          }
          view.top = node.scrollTop;
          redraw();
        }
      }),
      [heights, view]
    );

    const { first, end } = heights.range(view.top, view.height, BEYOND);
    const drawn = Array.from({ length: end - first }, (_, n) => first + n);
    const kept = pinned === null ? -1 : ids.indexOf(pinned);
    if (kept !== -1 && kept < first) {
      drawn.unshift(kept);
    } else if (kept >= end) {
      drawn.push(kept);
    }
    return (
      <div
        ref={scroller}
        className="jp-Turnbook-virtualList"
        {...(props.scrollsByKeys
          ? { tabIndex: 0, role: 'region', 'aria-label': label }
          : {})}
        onScroll={event => {
          view.top = event.currentTarget.scrollTop;
          redrawNow();
        }}
      >
        <div
          role="list"
          aria-label={label}
          style={{ height: heights.total, position: 'relative' }}
        >
          {drawn.map(index => (
            <Row
              key={ids[index]}
              observer={observer}
              id={ids[index]}
              index={index}
              count={ids.length}
              top={heights.top(index)}
            >
              {row(ids[index], index)}
            </Row>
          ))}
        </div>
      </div>
    );
  }
);
VirtualList.displayName = 'VirtualList';

function Row(props: {
  observer: ResizeObserver;
  id: string;
  index: number;
  count: number;
  top: number;
  children: React.ReactElement;
}): JSX.Element {
  const { observer } = props;
  const node = React.useRef<HTMLDivElement>(null);
  React.useLayoutEffect(() => {
    const observed = node.current!;
    observer.observe(observed);
    return () => observer.unobserve(observed);
  }, [observer]);
  return (
    <div
      ref={node}
      role="listitem"
      aria-setsize={props.count}
      aria-posinset={props.index + 1}
      data-turnbook-row={props.id}
      className="jp-Turnbook-virtualList-row"
      style={{ top: props.top }}
    >
      {props.children}
    </div>
  );
}

/** Record the heights of rows as they are rendered; changes above the window do not move it. */
function useRowObserver(
  heights: RowHeights,
  scroller: React.RefObject<HTMLDivElement>,
  redraw: () => void
): ResizeObserver {
  const observer = React.useRef<ResizeObserver | null>(null);
  observer.current ??= new ResizeObserver(entries => {
    let changed = false;
    let shift = 0;
    const top = scroller.current?.scrollTop ?? 0;
    for (const { target } of entries) {
      const node = target as HTMLElement;
      const id = node.dataset.turnbookRow!;
      // In a hidden panel rows have no height, and 0 must not be taken for a real one.
      if (!node.offsetHeight) {
        continue;
      }
      const above = node.offsetTop + node.offsetHeight <= top;
      const grown = heights.measure(id, node.offsetHeight);
      changed ||= grown !== 0;
      shift += above ? grown : 0;
    }
    if (changed) {
      heights.learn();
      if (shift && scroller.current) {
        scroller.current.scrollTop += shift;
      }
      redraw();
    }
  });
  React.useEffect(() => () => observer.current?.disconnect(), []);
  return observer.current;
}
