/** Aligns the messages of several sides: which of them stand beside each other. */
import { sameRuns } from './samesequence';
import type { ISaid } from './side';

/** Messages beside each other: for each side, the index of its message; null if it has none. */
export type Row = readonly (number | null)[];

/** Rows that belong together. */
export interface IBlock {
  /** Whether all sides have the same messages in it. */
  readonly isEqual: boolean;
  readonly rows: readonly Row[];
}

/**
 * Align messages with those of one side. Each message is in one row, in order.
 *
 * What is equal is in one row; between that, messages of the same role are. A reply stands beside
 * replies only.
 *
 * @param base - The index of the side that the others are aligned with.
 */
export function align(
  sides: readonly (readonly ISaid[])[],
  base: number
): Row[] {
  const ends = sides.map(requestEnd);
  return [
    ...alignPart(
      sides.map((said, side) => said.slice(0, ends[side])),
      base,
      sides.map(() => 0)
    ),
    ...alignPart(
      sides.map((said, side) => said.slice(ends[side])),
      base,
      ends
    )
  ];
}

/** Neighbouring rows in blocks; each row that is not equal is a block of its own. */
export function blocksOf(
  rows: readonly Row[],
  sides: readonly (readonly ISaid[])[]
): IBlock[] {
  const blocks: { isEqual: boolean; rows: Row[] }[] = [];
  for (const row of rows) {
    const isEqual = isEqualRow(row, sides);
    const last = blocks[blocks.length - 1];
    if (isEqual && last?.isEqual) {
      last.rows.push(row);
    } else {
      blocks.push({ isEqual, rows: [row] });
    }
  }
  return blocks;
}

/** Whether all sides have the same message in a row. */
export function isEqualRow(
  row: Row,
  sides: readonly (readonly ISaid[])[]
): boolean {
  const keys = row.map((at, side) =>
    at === null ? null : sides[side][at].key
  );
  return keys.every(key => key !== null && key === keys[0]);
}

function requestEnd(said: readonly ISaid[]): number {
  const first = said.findIndex(({ isReply }) => isReply);
  return first < 0 ? said.length : first;
}

function alignPart(
  sides: readonly (readonly ISaid[])[],
  base: number,
  offsets: readonly number[]
): Row[] {
  const main = sides[base];
  const partners = sides.map((said, side) =>
    side === base ? null : partnersOf(main, said)
  );
  const rows: Row[] = [];
  const next = sides.map(() => 0);
  for (let at = 0; at <= main.length; at++) {
    // What the other sides have before this message.
    const extra = sides.map((said, side) => {
      const known = partners[side];
      const partner = known?.get(at);
      const end =
        known === null
          ? next[side]
          : (partner ?? (at === main.length ? said.length : next[side]));
      const from = next[side];
      next[side] = end;
      return { from, end };
    });
    const most = Math.max(...extra.map(({ from, end }) => end - from));
    for (let n = 0; n < most; n++) {
      rows.push(
        extra.map(({ from, end }, side) =>
          from + n < end ? offsets[side] + from + n : null
        )
      );
    }
    if (at < main.length) {
      rows.push(
        sides.map((_, side) => {
          if (side === base) {
            return offsets[side] + at;
          }
          if (!partners[side]!.has(at)) {
            return null;
          }
          return offsets[side] + next[side]++;
        })
      );
    }
  }
  return rows;
}

/** For messages of one side, which one of another side stands beside it. */
function partnersOf(
  main: readonly ISaid[],
  other: readonly ISaid[]
): Map<number, number> {
  const partners = new Map<number, number>();
  let [a, b] = [0, 0];
  const pairUp = (endA: number, endB: number) => {
    while (a < endA && b < endB) {
      if (main[a].role === other[b].role) {
        partners.set(a, b);
      }
      a++;
      b++;
    }
    [a, b] = [endA, endB];
  };
  // What they begin with alike stands beside each other, also if it comes again.
  while (a < main.length && main[a].key === other[a]?.key) {
    partners.set(a, a);
    a++;
  }
  const start = (b = a);
  for (const run of sameRuns(
    main.slice(start).map(({ key }) => key),
    other.slice(start).map(({ key }) => key)
  )) {
    pairUp(start + run.a, start + run.b);
    for (let n = 0; n < run.length; n++) {
      partners.set(a++, b++);
    }
  }
  pairUp(main.length, other.length);
  return partners;
}
