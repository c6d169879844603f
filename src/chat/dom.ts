/** Make an element; text is always set as text. */
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

/** Make a button with a name. */
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

const MAX_TEXT_HEIGHT = 240;

/** Let a text area be as high as its text, up to a limit. */
export function growText(node: HTMLTextAreaElement | null): void {
  if (node) {
    node.style.height = 'auto';
    node.style.height = `${Math.min(node.scrollHeight + 2, MAX_TEXT_HEIGHT)}px`;
  }
}
