import type { IEditCounts } from './model';

/** How many changes a request has, as the composer shows it. */
export function changeCount(counts: IEditCounts | null): number {
  if (!counts) {
    return 0;
  }
  const { edited, deleted, added, moved, options } = counts;
  return edited + deleted + added + moved + options;
}
