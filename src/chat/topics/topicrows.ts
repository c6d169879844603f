/** The tree of topics as rows, and keyboard navigation in it. */
import type { ITopicNode } from '../../filter/topics';

/** A topic as one row of the tree. */
export interface ITopicRow {
  node: ITopicNode;
  /** The path of its parent; null for a top-level topic. */
  parent: string | null;
  /** Its depth, from 1. */
  level: number;
  /** Its position among its siblings, from 1. */
  position: number;
  /** The number of its siblings, including itself. */
  size: number;
  open: boolean;
}

/** The rows in order, without those inside a closed one. */
export function visibleRows(
  nodes: readonly ITopicNode[],
  closed: ReadonlySet<string>,
  parent: string | null = null,
  level = 1
): ITopicRow[] {
  return nodes.flatMap((node, index) => {
    const open = !closed.has(node.path);
    const row = {
      node,
      parent,
      level,
      position: index + 1,
      size: nodes.length,
      open
    };
    return open
      ? [row, ...visibleRows(node.children, closed, node.path, level + 1)]
      : [row];
  });
}

/** The effect of a key: go to the row of a path, or toggle this row. */
export type TopicStep = { to: string } | { toggle: true };

/**
 * The effect of a key in a row; null if it has none.
 *
 * The keys are those of the ARIA Authoring Practices for trees.
 */
export function step(
  rows: readonly ITopicRow[],
  row: ITopicRow,
  key: string
): TopicStep | null {
  const index = rows.findIndex(({ node }) => node.path === row.node.path);
  const to = (found?: ITopicRow) => (found ? { to: found.node.path } : null);
  const inner = row.node.children.length > 0;
  switch (key) {
    case 'ArrowDown':
      return to(rows[index + 1]);
    case 'ArrowUp':
      return to(rows[index - 1]);
    case 'Home':
      return to(rows[0]);
    case 'End':
      return to(rows[rows.length - 1]);
    case 'ArrowRight':
      if (!inner) {
        return null;
      }
      return row.open ? to(rows[index + 1]) : { toggle: true };
    case 'ArrowLeft':
      if (inner && row.open) {
        return { toggle: true };
      }
      return row.parent === null ? null : { to: row.parent };
    default:
      return key.length === 1 ? to(byLetter(rows, index, key)) : null;
  }
}

function byLetter(
  rows: readonly ITopicRow[],
  index: number,
  letter: string
): ITopicRow | undefined {
  const after = [...rows.slice(index + 1), ...rows.slice(0, index)];
  return after.find(({ node }) =>
    node.name.toLowerCase().startsWith(letter.toLowerCase())
  );
}
