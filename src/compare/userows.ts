import * as React from 'react';

import { align, blocksOf, type IBlock, type Row } from './align';
import { markTexts, type IPiece, type Unit } from './marking';
import type { ISide } from './side';

/** The pieces of a row, one list for each side; null if a side has no message in it. */
export type MarkedRow = readonly (readonly IPiece[] | null)[];

/** The aligned messages of sides. */
export function useBlocks(
  sides: readonly ISide[],
  base: number
): readonly IBlock[] {
  return React.useMemo(() => {
    const said = sides.map(side => side.said);
    return blocksOf(align(said, base), said);
  }, [sides, base]);
}

/**
 * The differences of rows. One row is compared at a time, while the page is idle; until then it is
 * missing.
 */
export function useMarks(
  rows: readonly Row[],
  sides: readonly ISide[],
  base: number,
  unit: Unit
): ReadonlyMap<Row, MarkedRow> {
  const [marks, setMarks] = React.useState<ReadonlyMap<Row, MarkedRow>>(
    new Map()
  );
  React.useEffect(() => {
    const found = new Map<Row, MarkedRow>();
    let idle = 0;
    const step = (at: number) => {
      if (at < rows.length) {
        const row = rows[at];
        const texts = row.map((place, side) =>
          place === null ? null : sides[side].said[place].text
        );
        found.set(row, markTexts(texts, base, unit));
        setMarks(new Map(found));
        next(at + 1);
      }
    };
    const next = (at: number) => {
      idle = requestIdleCallback(() => step(at), { timeout: 500 });
    };
    next(0);
    return () => cancelIdleCallback(idle);
  }, [rows, sides, base, unit]);
  return marks;
}
