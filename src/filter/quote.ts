/** Keywords of the language; `AND` is rejected, so that it is never searched for by mistake. */
export const RESERVED: readonly string[] = ['OR', 'NOT', 'AND'];

/** Put a text in quotes. */
export function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

/** Return the text between quotes; a backslash escapes only a quote or a backslash. */
export function unquote(quoted: string): string {
  return quoted.slice(1, -1).replace(/\\([\\"])/g, '$1');
}

/** Quote a text unless it is a bare word. */
export function quoteWord(text: string): string {
  return /^[\p{L}\p{N}_./][\p{L}\p{M}\p{N}_./*'’,!?+#@%&-]*$/u.test(text) &&
    !RESERVED.includes(text)
    ? text
    : quote(text);
}

/** Quote a field's value unless it is safe without quotes. */
export function quoteValue(text: string): string {
  return /^[\p{L}\p{N}_./*][\p{L}\p{M}\p{N}_./*:'’,!?+#@%&-]*$/u.test(text)
    ? text
    : quote(text);
}
