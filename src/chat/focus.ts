/** Whether the user is writing in a chat, or choosing something for it. */
export function isOccupied(chat: HTMLElement): boolean {
  const active = document.activeElement;
  const isWriting =
    active instanceof HTMLElement &&
    chat.contains(active) &&
    active.matches('input, textarea, select, [contenteditable="true"]') &&
    active.checkVisibility({ visibilityProperty: true });
  // JupyterLab 4.4 activates the chat after a click on its toolbar too.
  const isChoosing = !!active?.closest('.jp-Turnbook-topics');
  return isWriting || isChoosing;
}

/** Whether the user has not moved on since the chat was opened, for example to the palette. */
export function isStillHere(
  chat: HTMLElement,
  before: Element | null
): boolean {
  const active = document.activeElement;
  return (
    active === null ||
    active === document.body ||
    active === before ||
    chat.contains(active)
  );
}
