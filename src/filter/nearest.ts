/** The edit distance of two words, counting a swap of neighbours as one edit. */
export function distance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      row[j] = Math.min(
        above[j] + 1,
        row[j - 1] + 1,
        above[j - 1] + (same ? 0 : 1)
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j], before[j - 2] + 1);
      }
    }
    before = above;
    above = row;
  }
  return above[b.length];
}

/** The known word nearest to the given one, the first of equals; null if there is none. */
export function nearest<T extends string>(
  word: string,
  known: readonly T[]
): { word: T; distance: number } | null {
  const written = word.toLowerCase().slice(0, 40);
  let best: { word: T; distance: number } | null = null;
  for (const candidate of known) {
    const found = distance(written, candidate);
    if (!best || found < best.distance) {
      best = { word: candidate, distance: found };
    }
  }
  return best;
}
