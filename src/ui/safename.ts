/** How much of a name is shown. */
const MAX_NAME = 60;

/**
 * Make a name from a file safe to show: it can neither change the text direction nor fill the
 * screen.
 */
export function safeName(name: string): string {
  const plain = name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');
  const signs = [...plain];
  const cut =
    signs.length > MAX_NAME ? `${signs.slice(0, MAX_NAME).join('')}…` : plain;
  return `\u2068${cut}\u2069`;
}
