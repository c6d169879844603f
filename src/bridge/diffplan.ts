/** What a diff would do to files, before anything is done. */
import type { TranslationBundle } from '@jupyterlab/translation';

import { errorMessage } from '../base/errors';
import { applyHunks, HunkError } from './applyhunks';
import { candidates, pathObstacle } from './diffpath';
import {
  MAX_TEXT,
  type IText,
  type ITextChange,
  type TextFiles
} from './textfiles';
import { parseDiff, type IFileDiff } from './unifieddiff';

/** How many files a diff may change. */
const MAX_FILES = 50;

/** A file of a diff: what becomes of it, or why nothing does. */
export interface IPlannedFile {
  /** The path, as the diff or the server names it. */
  path: string;
  change: ITextChange | null;
  /** Why it cannot be changed, as a text for the user; empty if it can. */
  problem: string;
  /** Whether it is changed in its editor and not yet saved then. */
  isOpen: boolean;
}

/**
 * Read a diff and the files that it names.
 *
 * @param folder - The chat's folder, from which files are looked for.
 */
export async function planDiff(
  diff: string,
  folder: string,
  files: Pick<TextFiles, 'read'>,
  trans: TranslationBundle
): Promise<IPlannedFile[]> {
  const diffs = parseDiff(diff);
  if (!diffs.length) {
    throw new Error(
      trans.__('This is not a diff that names the files it changes.')
    );
  }
  if (diffs.length > MAX_FILES) {
    throw new Error(
      trans.__('This diff changes more than %1 files.', MAX_FILES)
    );
  }
  const planned: IPlannedFile[] = [];
  for (const one of diffs) {
    planned.push(await planFile(one, folder, files, trans));
  }
  const paths = planned.map(({ path }) => path);
  return planned.map((file, index) =>
    paths.indexOf(file.path) < index
      ? failed(file.path, trans.__('The diff has this file twice.'))
      : file
  );
}

async function planFile(
  diff: IFileDiff,
  folder: string,
  files: Pick<TextFiles, 'read'>,
  trans: TranslationBundle
): Promise<IPlannedFile> {
  const name = diff.to ?? diff.from ?? '';
  const obstacle = pathObstacle(diff, trans);
  if (obstacle) {
    return failed(name, obstacle);
  }
  try {
    const found = await findFile(diff, folder, files);
    const { path, text } = found;
    if (diff.from === null && text !== null) {
      return failed(
        path,
        trans.__('The diff makes a new file, but it exists.')
      );
    }
    if (diff.from !== null && text === null) {
      return failed(path, trans.__('There is no such file.'));
    }
    if (!diff.hunks.length && (diff.without || diff.from !== null)) {
      return failed(path, noHunks(diff, trans));
    }
    const before = text?.text ?? null;
    if ((before ?? '').length > MAX_TEXT) {
      return failed(path, trans.__('The file is too long to be compared.'));
    }
    const after = applyHunks(before ?? '', diff.hunks);
    return {
      path,
      change: { path, before, after },
      problem: '',
      isOpen: text?.isOpen ?? false
    };
  } catch (error) {
    return failed(
      name,
      error instanceof HunkError
        ? hunkWords(error, diff.hunks.length, trans)
        : errorMessage(error)
    );
  }
}

/** Find the file beside the chat or in a folder above it; a new one is beside the chat. */
async function findFile(
  diff: IFileDiff,
  folder: string,
  files: Pick<TextFiles, 'read'>
): Promise<{ path: string; text: IText | null }> {
  const [drive, local] = /^([^/:]*:)?(.*)$/s.exec(folder)!.slice(1);
  const paths = candidates(diff.to!, local).map(
    path => `${drive ?? ''}${path}`
  );
  for (const path of diff.from === null ? paths.slice(0, 1) : paths) {
    const text = await files.read(path);
    if (text) {
      return { path, text };
    }
  }
  return { path: paths[0], text: null };
}

function noHunks({ without }: IFileDiff, trans: TranslationBundle): string {
  switch (without) {
    case 'binary':
      return trans.__('The file is binary, and a diff here changes only text.');
    case 'mode':
      return trans.__(
        'The diff changes the permissions of this file. Change them in a terminal.'
      );
    case undefined:
      return trans.__('The diff does not say what changes in this file.');
  }
}

function hunkWords(
  { hunk, reason }: HunkError,
  count: number,
  trans: TranslationBundle
): string {
  switch (reason) {
    case 'missing':
      return trans.__(
        'Change %1 of %2 does not fit: its lines are not in the file.',
        hunk + 1,
        count
      );
    case 'ambiguous':
      return trans.__(
        'Change %1 of %2 does not fit: its lines are in the file several times.',
        hunk + 1,
        count
      );
    case 'long':
      return trans.__('The diff and the file are too long to be compared.');
  }
}

function failed(path: string, problem: string): IPlannedFile {
  return { path, change: null, problem, isOpen: false };
}
