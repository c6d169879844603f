/** Unified diffs as models and git write them, read with care. */

/** A line of a hunk. */
export interface IDiffLine {
  kind: ' ' | '-' | '+';
  /** The line with its end, unless the diff says that the file has none there. */
  text: string;
}

/** A change of consecutive lines. */
export interface IHunk {
  /** Where the old lines start, from 1; null if the diff does not say. */
  start: number | null;
  lines: IDiffLine[];
}

/** The changes to a file. */
export interface IFileDiff {
  /** The path before; null for a new file. */
  from: string | null;
  /** The path after; null for a deleted file. */
  to: string | null;
  /** None if the diff does not say in lines what changes. */
  hunks: IHunk[];
  /** What changes without hunks, if that is neither the path nor unknown. */
  without?: 'binary' | 'mode';
}

/** The longest diff that is read. */
export const MAX_DIFF = 1_000_000;

const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;
const NO_END = /^\\ /;

/** Whether a text looks like a unified diff of files. */
export function looksLikeDiff(text: string): boolean {
  return (
    text.length <= MAX_DIFF &&
    /^--- [^\n]+\n\+\+\+ [^\n]+\n@@/m.test(text.replace(/\r\n/g, '\n'))
  );
}

/**
 * Read a unified diff. Words around it are skipped; a file is not, also if it has no hunks.
 *
 * Models often miscount: where the numbers of a hunk do not match its lines, the lines count.
 */
export function parseDiff(text: string): IFileDiff[] {
  const lines = text.slice(0, MAX_DIFF + 1).split('\n');
  if (text.length > MAX_DIFF) {
    return [];
  }
  if (lines[lines.length - 1] === '') {
    lines.pop();
  }
  const files: IFileDiff[] = [];
  // The file that only git's headers have named until now.
  let git: IFileDiff | null = null;
  let at = 0;
  while (at < lines.length) {
    if (namesFile(lines, at)) {
      const file = {
        from: pathIn(lines[at]),
        to: pathIn(lines[at + 1]),
        hunks: []
      };
      files.splice(files.length - (git ? 1 : 0), 1, file);
      git = null;
      at += 2;
      continue;
    }
    const file = files[files.length - 1];
    const line = lines[at].trimEnd();
    if (line.startsWith('diff --git ')) {
      git = gitFile(line);
      files.push(git);
    } else if (git) {
      readGitHeader(line, git);
    } else {
      const binary = binaryFile(line);
      files.push(...(binary ? [binary] : []));
    }
    if (file && isHunkHeader(lines[at])) {
      git = null;
      const { hunk, end } = readHunk(lines, at);
      file.hunks.push(hunk);
      at = end;
      continue;
    }
    at++;
  }
  return stripped(files);
}

/** The file that a line of git's names; where both paths differ, other headers have them. */
function gitFile(line: string): IFileDiff {
  const paths = line.slice('diff --git '.length);
  // A path may have spaces. Where both are the same, one is before the middle and one after it.
  const middle = (paths.length - 1) / 2;
  const [a, b] = [paths.slice(0, middle), paths.slice(middle + 1)].map(
    path => /^"(.*)"$/.exec(path)?.[1] ?? path
  );
  const isSame =
    paths[middle] === ' ' && a.startsWith('a/') && b === `b/${a.slice(2)}`;
  const [from, to] = isSame ? [a, b] : paths.split(/ (?="?b\/)/);
  return { from, to: to ?? from, hunks: [] };
}

/** The file that a line about a binary one names, as diff and git write it; null if it is no such line. */
function binaryFile(line: string): IFileDiff | null {
  const [start, and, end] = ['Binary files ', ' and ', ' differ'];
  if (!line.startsWith(start) || !line.endsWith(end)) {
    return null;
  }
  const paths = line.slice(start.length, -end.length);
  const at = paths.lastIndexOf(and);
  if (at < 1) {
    return null;
  }
  const [from, to] = [paths.slice(0, at), paths.slice(at + and.length)].map(
    path => (path === '/dev/null' ? null : path)
  );
  return { from, to, hunks: [], without: 'binary' };
}

/** What a header of git's says of a file. */
function readGitHeader(line: string, file: IFileDiff): void {
  const [, what, path] = /^(?:rename|copy) (from|to) (.+)$/.exec(line) ?? [];
  if (what === 'from') {
    file.from = `a/${path}`;
  } else if (what === 'to') {
    file.to = `b/${path}`;
  } else if (line.startsWith('new file mode ')) {
    file.from = null;
  } else if (line.startsWith('deleted file mode ')) {
    file.to = null;
  } else if (binaryFile(line) || line === 'GIT binary patch') {
    file.without = 'binary';
  } else if (line.startsWith('new mode ')) {
    file.without = 'mode';
  }
}

function readHunk(
  lines: readonly string[],
  header: number
): { hunk: IHunk; end: number } {
  const numbers = HUNK.exec(lines[header]);
  const counts = numbers && {
    old: Number(numbers[2] ?? 1),
    new: Number(numbers[4] ?? 1)
  };
  const end =
    (counts && endByCounts(lines, header + 1, counts)) ??
    endByMarks(lines, header + 1);
  const body: IDiffLine[] = [];
  for (const line of lines.slice(header + 1, end)) {
    const last = body[body.length - 1];
    if (NO_END.test(line)) {
      if (last) {
        last.text = last.text.replace(/\n$/, '');
      }
      continue;
    }
    // Editors and models drop the space of an empty line.
    const kind = (line[0] ?? ' ') as IDiffLine['kind'];
    body.push({ kind, text: `${line.slice(1)}\n` });
  }
  const start = numbers
    ? // Lines that are added to none come after the one that is named.
      Number(numbers[1]) + (counts?.old === 0 ? 1 : 0)
    : null;
  return { hunk: { start, lines: body }, end };
}

/** Where a hunk ends if its numbers are right; null if they are not. */
function endByCounts(
  lines: readonly string[],
  from: number,
  counts: { old: number; new: number }
): number | null {
  let { old: before, new: after } = counts;
  let at = from;
  for (; before > 0 || after > 0; at++) {
    const mark = at < lines.length ? (lines[at][0] ?? ' ') : '';
    if (mark === '\\') {
      continue;
    }
    if (!mark || !' -+'.includes(mark)) {
      return null;
    }
    before -= mark === '+' ? 0 : 1;
    after -= mark === '-' ? 0 : 1;
    if (before < 0 || after < 0) {
      return null;
    }
  }
  if (at < lines.length && NO_END.test(lines[at])) {
    at++;
  }
  const next = lines[at] ?? '';
  const goesOn = /^[-+ ]/.test(next) && !namesFile(lines, at);
  return goesOn ? null : at;
}

/** Where a hunk ends, by what its lines begin with. */
function endByMarks(lines: readonly string[], from: number): number {
  let at = from;
  while (
    at < lines.length &&
    /^(?:[-+ ]|\\ |$)/.test(lines[at]) &&
    !isFileHeader(lines, at)
  ) {
    at++;
  }
  while (at > from && lines[at - 1] === '') {
    at--;
  }
  return at;
}

function isHunkHeader(line: string): boolean {
  return HUNK.test(line) || /^@@(?:$|[ \r])/.test(line);
}

function isFileHeader(lines: readonly string[], at: number): boolean {
  return namesFile(lines, at) && isHunkHeader(lines[at + 2] ?? '');
}

function namesFile(lines: readonly string[], at: number): boolean {
  return (
    /^--- \S/.test(lines[at] ?? '') && /^\+\+\+ \S/.test(lines[at + 1] ?? '')
  );
}

/** The path of a header, without the time that may follow it; null for no file. */
function pathIn(header: string): string | null {
  const path = header
    .slice(4)
    .replace(/[\t\r].*$/s, '')
    .trimEnd();
  return path === '/dev/null' ? null : path.replace(/^(?:\.\/)+/, '');
}

/** Remove git's `a/` and `b/`. */
function stripped(files: readonly IFileDiff[]): IFileDiff[] {
  return files.map(file => {
    const { from, to } = file;
    const isGit =
      (from === null || from.startsWith('a/')) &&
      (to === null || to.startsWith('b/'));
    return isGit
      ? { ...file, from: from?.slice(2) ?? null, to: to?.slice(2) ?? null }
      : file;
  });
}
