/** What went wrong, in the words it came with. */
export function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
