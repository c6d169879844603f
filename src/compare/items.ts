/** Names what is compared: a file, or one version, sibling or result in it. */
import { isObject } from '../base/json';
import { readSibling } from '../document/siblingmark';
import { readVersions } from '../document/versionlist';
import { MOST } from './side';

/** Names one side of a comparison. */
export interface IItem {
  /** The file; alone, all of it is compared. */
  readonly path: string;
  /** The id of a pair in it. */
  readonly pair?: string;
  /** Which version of the pair, from 0; the current one comes after all others. */
  readonly version?: number;
  /** The id of a cell with a result of a rerun. */
  readonly cell?: string;
}

/** Read items from the arguments of a command; null if they are invalid or too few or many. */
export function readItems(value: unknown): IItem[] | null {
  if (!Array.isArray(value) || value.length < 2 || value.length > MOST) {
    return null;
  }
  const items = value.map(readItem);
  return items.every(item => item !== null) ? items : null;
}

function readItem(value: unknown): IItem | null {
  if (!isObject(value) || typeof value.path !== 'string') {
    return null;
  }
  const { path, pair, version, cell } = value;
  return {
    path,
    ...(typeof pair === 'string' ? { pair } : {}),
    ...(Number.isSafeInteger(version) ? { version: version as number } : {}),
    ...(typeof cell === 'string' ? { cell } : {})
  };
}

/** A text that is the same for the same items. */
export function itemsKey(items: readonly IItem[]): string {
  return JSON.stringify(
    items.map(({ path, pair, version, cell }) => [path, pair, version, cell])
  );
}

/**
 * The versions of a pair that are compared: its siblings if some are named, else the newest ones.
 *
 * @param stored - Its versions and its run as they are stored, which are untrusted.
 * @param siblings - The numbers of siblings, in the group of what the pair says.
 */
export function versionItems(
  path: string,
  pair: string,
  stored: { versions: readonly unknown[]; run: unknown },
  siblings: readonly number[] = []
): IItem[] {
  const valid = stored.versions.filter(
    version => readVersions([version]).length
  );
  const group = readSibling(stored.run)?.group;
  const all = [...valid, stored.run].map((value, version) => {
    const mark = readSibling(value);
    // Siblings of another group may have the same numbers.
    const isOfGroup = mark !== null && mark.group === group;
    return { version, sibling: isOfGroup ? mark.sibling : null };
  });
  // Of two with one number, the columns show the chosen one, else the first.
  const shown = [...all.slice(-1), ...all.slice(0, -1)];
  const chosen = siblings
    .map(number => shown.find(({ sibling }) => sibling === number))
    .filter(found => found !== undefined);
  const compared = chosen.length > 1 ? chosen.slice(0, MOST) : all.slice(-MOST);
  return compared.map(({ version }) => ({ path, pair, version }));
}
