/** Unified diffs of two texts, as git writes them. */
import { diff } from '@codemirror/merge';

/** A text's lines with their ends. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** A unified diff of a file. */
export function makeDiff(
  before: string,
  after: string,
  { path = 'file.txt', context = 3, isNew = false } = {}
): string {
  const [a, b] = [linesOf(before), linesOf(after)];
  // Each line as one character.
  const ids = new Map<string, string>();
  const idOf = (line: string) => {
    if (!ids.has(line)) {
      ids.set(line, String.fromCharCode(0x4e00 + ids.size));
    }
    return ids.get(line)!;
  };
  const changes = diff(a.map(idOf).join(''), b.map(idOf).join(''));
  const hunks: string[] = [];
  for (let i = 0; i < changes.length;) {
    let j = i;
    while (
      j + 1 < changes.length &&
      changes[j + 1].fromA - changes[j].toA <= 2 * context
    ) {
      j++;
    }
    const first = changes[i];
    const last = changes[j];
    const fromA = Math.max(0, first.fromA - context);
    const fromB = first.fromB - (first.fromA - fromA);
    const toA = Math.min(a.length, last.toA + context);
    const toB = last.toB + (toA - last.toA);
    const lines: string[] = [];
    let at = fromA;
    for (const change of changes.slice(i, j + 1)) {
      lines.push(...a.slice(at, change.fromA).map(line => mark(' ', line)));
      lines.push(
        ...a.slice(change.fromA, change.toA).map(line => mark('-', line)),
        ...b.slice(change.fromB, change.toB).map(line => mark('+', line))
      );
      at = change.toA;
    }
    lines.push(...a.slice(at, toA).map(line => mark(' ', line)));
    hunks.push(
      `@@ -${range(fromA, toA)} +${range(fromB, toB)} @@\n${lines.join('')}`
    );
    i = j + 1;
  }
  const from = isNew ? '/dev/null' : `a/${path}`;
  return `--- ${from}\n+++ b/${path}\n${hunks.join('')}`;
}

function mark(kind: string, line: string): string {
  return line.endsWith('\n')
    ? kind + line
    : `${kind}${line}\n\\ No newline at end of file\n`;
}

/** A range of lines: an empty one names the line before it. */
function range(from: number, to: number): string {
  const count = to - from;
  return `${count ? from + 1 : from},${count}`;
}
