/** What went wrong, in the words it came with. */
export function errorWords(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
