import type { Widget } from '@lumino/widgets';

/**
 * Make a widget as tall as its content. A Lumino panel sizes its children from numbers and does
 * not notice when one grows.
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
