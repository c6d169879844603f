import type { Widget } from '@lumino/widgets';

/**
 * Make a widget as high as what it shows: a panel lays its children out by numbers, so it has to be
 * told when one grew.
 */
export function fitHeight(
  { node, parent }: Pick<Widget, 'node' | 'parent'>,
  height: number
): void {
  const wanted = `${height}px`;
  if (node.style.minHeight !== wanted) {
    node.style.minHeight = wanted;
    node.style.maxHeight = wanted;
    parent?.fit();
  }
}
