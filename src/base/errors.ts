/** The message of an error, or whatever was thrown as text. */
export function errorWords(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
