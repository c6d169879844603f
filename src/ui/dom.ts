/** Create an element; text is always set as text, never as HTML. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  text = ''
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  node.className = className;
  if (text) {
    node.textContent = text;
  }
  return node;
}

/** Create a labelled button. */
export function button(
  label: string,
  className: string,
  onClick: () => void,
  title = label
): HTMLButtonElement {
  const node = element('button', className, label);
  node.type = 'button';
  node.title = title;
  node.addEventListener('click', onClick);
  return node;
}

/**
 * Set the children of a node; those that are already there stay, with their focus or pressed state.
 */
export function setChildren(parent: Node, nodes: readonly Node[]): void {
  let at = parent.firstChild;
  const removeUntil = (end: ChildNode | null) => {
    while (at !== end) {
      const next: ChildNode | null = at!.nextSibling;
      at!.remove();
      at = next;
    }
  };
  for (const node of nodes) {
    let same = at;
    while (same && !same.isEqualNode(node)) {
      same = same.nextSibling;
    }
    if (same) {
      removeUntil(same);
      at = same.nextSibling;
    } else {
      parent.insertBefore(node, at);
    }
  }
  removeUntil(null);
}

const MAX_TEXT_HEIGHT = 240;

/** Make a text area as tall as its text, up to a limit in pixels. */
export function growText(
  node: HTMLTextAreaElement | null,
  limit = MAX_TEXT_HEIGHT
): void {
  if (node) {
    node.style.height = 'auto';
    if (!node.scrollHeight) {
      // In a tab behind another nothing has a size.
      return;
    }
    node.style.height = `${Math.min(node.scrollHeight + 2, limit)}px`;
  }
}
