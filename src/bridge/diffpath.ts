import type { TranslationBundle } from '@jupyterlab/translation';

import { safeName } from '../ui/safename';
import type { IFileDiff } from './unifieddiff';

/** The longest path that is looked for. */
const MAX_PATH = 1000;

/**
 * Why a diff's file is not changed, as a text for the user; null if it may be.
 *
 * A diff reaches only files below the server's root that the file browser shows.
 */
export function pathObstacle(
  { from, to }: IFileDiff,
  trans: TranslationBundle
): string | null {
  if (to === null) {
    return trans.__(
      'This diff deletes %1. Delete it in the file browser instead.',
      safeName(from ?? '')
    );
  }
  if (from !== null && from !== to) {
    return trans.__(
      'This diff renames %1 to %2. Rename it in the file browser first.',
      safeName(from),
      safeName(to)
    );
  }
  const name = safeName(to);
  const parts = to.split('/');
  if (
    // A colon would name another drive, and a backslash is a slash on Windows.
    /[\\:\p{C}\p{Zl}\p{Zp}"]/u.test(to) ||
    to.length > MAX_PATH ||
    parts.some(part => part === '' || part === '..' || part === '~') ||
    parts.includes('.')
  ) {
    return trans.__(
      '%1 is not a path below the folder that the server shows.',
      name
    );
  }
  if (parts.some(part => part.startsWith('.'))) {
    return trans.__(
      '%1 is hidden, and a diff does not change hidden files.',
      name
    );
  }
  if (/\.ipynb$/i.test(to)) {
    return trans.__(
      '%1 is a notebook, and a diff does not change those.',
      name
    );
  }
  return null;
}

/**
 * The places where a file may be: beside the chat, and in the folders above, the nearest first;
 * none of them in a hidden folder.
 */
export function candidates(path: string, folder: string): string[] {
  const parts = folder.split('/').filter(part => part);
  const hidden = parts.findIndex(part => part.startsWith('.'));
  const deepest = hidden === -1 ? parts.length : hidden;
  return Array.from({ length: deepest + 1 }, (_, up) =>
    [...parts.slice(0, deepest - up), path].join('/')
  );
}
