/** Words of the language itself; `AND` is refused, so that nobody searches for it by mistake. */
export const RESERVED: readonly string[] = ['OR', 'NOT', 'AND'];

/** Put quotes around a text. */
export function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

/** The text between quotes; a backslash is itself unless a quote or a backslash follows. */
export function unquote(quoted: string): string {
  return quoted.slice(1, -1).replace(/\\([\\"])/g, '$1');
}

/** A bare word as it is, any other text in quotes. */
export function quoteWord(text: string): string {
  return /^[\p{L}\p{N}_./][\p{L}\p{M}\p{N}_./*'’,!?+#@%&-]*$/u.test(text) &&
    !RESERVED.includes(text)
    ? text
    : quote(text);
}

/** A field's value as it is where that is safe, else in quotes. */
export function quoteValue(text: string): string {
  return /^[\p{L}\p{N}_./*][\p{L}\p{M}\p{N}_./*:'’,!?+#@%&-]*$/u.test(text)
    ? text
    : quote(text);
}
