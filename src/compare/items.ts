/** Names what is compared: a file, or one version, sibling or result in it. */
import { isObject } from '../base/json';
import { readRunInfo } from '../document/metadata';
import { readSibling, type ISiblingMark } from '../document/siblingmark';
import type { IVersion } from '../document/versionlist';
import { MOST } from './side';

/** Names one side of a comparison. */
export interface IItem extends Partial<ISiblingMark> {
  /** The file; alone, all of it is compared. */
  readonly path: string;
  /** The id of a pair in it. With `group` and `sibling`, one of several replies to it. */
  readonly pair?: string;
  /** Which version of the pair, from 0; the current one comes after all others. */
  readonly version?: number;
  /** The run of that version, by which it is found where it is now, and whether the user edited it. */
  readonly run?: string;
  readonly edited?: true;
  /** Of a reply that is not complete: what a later attempt at it is known by. */
  readonly attempt?: number;
  readonly createdAt?: number;
  /** The id of a cell with a result of a rerun. */
  readonly cell?: string;
}

/** What a version is found by. */
type Named = Partial<ISiblingMark> &
  Pick<Partial<IVersion>, 'runId' | 'edited' | 'run'>;

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
  const { path, pair, version, run, edited, attempt, createdAt, cell } = value;
  return {
    path,
    ...(typeof pair === 'string' ? { pair } : {}),
    ...(Number.isSafeInteger(version) ? { version: version as number } : {}),
    ...(typeof run === 'string' ? { run } : {}),
    ...(edited === true ? { edited } : {}),
    ...(typeof attempt === 'number' ? { attempt } : {}),
    ...(typeof createdAt === 'number' ? { createdAt } : {}),
    ...readSibling(value),
    ...(typeof cell === 'string' ? { cell } : {})
  };
}

/** A text that is the same for the same items. */
export function itemsKey(items: readonly IItem[]): string {
  return JSON.stringify(
    items.map(({ path, pair, version, run, edited, group, sibling, cell }) => [
      path,
      pair,
      version,
      run,
      edited,
      group,
      sibling,
      cell
    ])
  );
}

/**
 * The versions of a pair that are compared: its siblings if some are named, else the newest ones.
 *
 * @param versions - All of them, the current one last.
 * @param siblings - The numbers of siblings, in the group of what the pair says.
 */
export function versionItems(
  path: string,
  pair: string,
  versions: readonly Named[],
  siblings: readonly number[] = []
): IItem[] {
  const all = itemsOf(path, pair, versions);
  const group = versions[versions.length - 1]?.group;
  const chosen = siblings.flatMap(sibling => {
    const mark = readSibling({ group, sibling });
    const place = mark ? placeIn(versions, mark) : -1;
    return place < 0 ? [] : [all[place]];
  });
  return chosen.length > 1 ? chosen.slice(0, MOST) : all.slice(-MOST);
}

/**
 * The items of all versions of a pair, the current one last.
 *
 * They are named by what does not change when another reply is chosen, or when one is added.
 */
export function itemsOf(
  path: string,
  pair: string,
  versions: readonly Named[]
): IItem[] {
  return versions.map((named, version) => {
    const mark = readSibling(named);
    // Siblings of another group may have the same numbers.
    if (mark && placeIn(versions, mark) === version) {
      return { path, pair, ...mark };
    }
    const { runId: run, edited } = named;
    return {
      path,
      pair,
      version,
      ...(run ? { run, ...(edited ? { edited } : unfinished(named)) } : {})
    };
  });
}

/** What a later attempt at a version is known by; nothing if its reply is complete. */
function unfinished({ run }: Named): Pick<IItem, 'attempt' | 'createdAt'> {
  const info = readRunInfo(run);
  if (!info || info.state === 'succeeded') {
    return {};
  }
  const { attempt, createdAt } = info;
  return { attempt, createdAt };
}

/** Where the version of an item is among all versions of its pair; null if it is gone. */
export function placeOf(
  item: IItem,
  versions: readonly Named[]
): number | null {
  const last = versions.length - 1;
  const { run, edited, version = last } = item;
  const mark = readSibling(item);
  const isIt = (one: Named) =>
    run === undefined || (one.runId === run && one.edited === edited);
  const place = mark
    ? placeIn(versions, mark)
    : isIt(versions[version] ?? {})
      ? version
      : versions.map(isIt).lastIndexOf(true);
  if (place in versions) {
    return place;
  }
  return version === last && isLater(item, versions[last]) ? last : null;
}

/** Whether a version is of a later attempt, another run, than an item that was not complete. */
function isLater(item: IItem, { run }: Named): boolean {
  const info = readRunInfo(run);
  return (
    info !== null &&
    item.attempt !== undefined &&
    info.attempt > item.attempt &&
    info.createdAt === item.createdAt
  );
}

/** Of two with one number, the columns show the chosen one, else the first. */
function placeIn(
  versions: readonly Partial<ISiblingMark>[],
  mark: ISiblingMark
) {
  const isIt = (one: Partial<ISiblingMark>) =>
    one.group === mark.group && one.sibling === mark.sibling;
  const last = versions.length - 1;
  return isIt(versions[last] ?? {}) ? last : versions.findIndex(isIt);
}
