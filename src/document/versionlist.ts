/** The list of a pair's earlier versions, read defensively; `versions.ts` has the operations. */
import type { IOutput } from '@jupyterlab/nbformat';
import { JSONExt, type PartialJSONObject } from '@lumino/coreutils';

import { isObject } from '../base/json';
import { isUnderWay } from './lifecycle';
import { readRunInfo } from './metadata';
import { readSibling } from './siblingmark';
import { outputRuns } from './reply';

/** One version of a pair. */
export interface IVersion {
  source: string;
  reply: string;
  model: string;
  requestHash: string;
  /** When it ended. */
  at: number;
  /** The run of the reply, if it was one of ours. */
  runId?: string;
  /** Whether the reply was interrupted. */
  partial?: boolean;
  /** Whether the user edited the reply. */
  edited?: true;
  /** False if the reply was not to be sent. */
  sent?: false;
  /** The remaining run metadata, so that a version is restored completely. */
  run?: PartialJSONObject;
  /** The outputs besides its reply: tool calls, reasoning and images. */
  tools?: IOutput[];
  /** The hashes of what was sent with its message; the cell has the files. */
  attachments?: string[];
  /** Its messages, if its text could not express them. */
  messages?: PartialJSONObject;
  /** What it shares with the replies that were asked for with it. */
  group?: string;
  /** Which of them it is. */
  sibling?: number;
}

/** Read a cell's versions; invalid ones are ignored. */
export function readVersions(value: unknown): IVersion[] {
  return Array.isArray(value)
    ? value.map(readVersion).filter(version => version !== null)
    : [];
}

/**
 * A stored list with one more version at its end, unless it has it already.
 *
 * Invalid entries are not ours to drop; they stay.
 */
export function pushVersion<T>(
  list: readonly T[],
  version: IVersion
): (T | IVersion)[] {
  // A landed reply does not say what was sent with it.
  const isKnown = (known: IVersion) =>
    isSame(known, version) ||
    (!version.attachments &&
      isSame(known, { ...version, attachments: known.attachments }));
  return readVersions(list).some(isKnown) ? [...list] : [...list, version];
}

/** A stored list without the versions that say the same as this one. */
export function withoutVersion<T>(list: readonly T[], version: IVersion): T[] {
  return list.filter(value => {
    const known = readVersion(value);
    return !known || !isSame(known, version);
  });
}

/** A stored list in which `current` replaces a version; null if there is none with that index. */
export function swapVersion<T>(
  list: readonly T[],
  index: number,
  current: IVersion | null
): { list: (T | IVersion)[]; chosen: IVersion } | null {
  let left = index;
  const place = list.findIndex(
    value => readVersion(value) !== null && left-- === 0
  );
  const chosen = readVersion(list[place]);
  if (!chosen) {
    return null;
  }
  const swapped: (T | IVersion)[] = [...list];
  swapped.splice(place, 1, ...(current ? [current] : []));
  return { list: swapped, chosen };
}

/**
 * The target of Previous (-1) and Next (+1) among the versions and, last, the current one.
 *
 * Returns null at either end.
 */
export function stepVersion(
  count: number,
  index: number,
  step: -1 | 1
): number | null {
  const next = index + step;
  return next >= 0 && next <= count ? next : null;
}

/** The runs whose replies are in the list. They have landed, and must not land again. */
export function versionRuns(list: readonly IVersion[]): Set<string> {
  return new Set(
    list
      .filter(version => !isAwaited(version))
      .flatMap(({ runId, tools = [] }) => [
        ...(runId === undefined ? [] : [runId]),
        ...outputRuns(tools)
      ])
  );
}

/** Whether the reply of a version is still to come: that of a sibling that is not chosen. */
export function isAwaited({ group, run }: IVersion): boolean {
  const info = group === undefined ? null : readRunInfo(run);
  return info !== null && isUnderWay(info.state);
}

/** Read one version; null if it is invalid. */
export function readVersion(value: unknown): IVersion | null {
  if (!isObject(value)) {
    return null;
  }
  const { source, reply, model, requestHash, at, runId, run, tools } = value;
  const { attachments, messages } = value;
  if (typeof source !== 'string' || typeof reply !== 'string') {
    return null;
  }
  return {
    source,
    reply,
    model: typeof model === 'string' ? model : '',
    requestHash: typeof requestHash === 'string' ? requestHash : '',
    at: typeof at === 'number' && Number.isFinite(at) ? at : 0,
    ...(typeof runId === 'string' ? { runId } : {}),
    ...(value.partial === true ? { partial: true } : {}),
    ...(value.edited === true ? { edited: true } : {}),
    ...(value.sent === false ? { sent: false } : {}),
    ...(isObject(run) ? { run } : {}),
    ...(isOutputs(tools) ? { tools } : {}),
    ...(isHashes(attachments) ? { attachments } : {}),
    ...(isObject(messages) ? { messages } : {}),
    ...readSibling(value)
  };
}

function isSame(a: IVersion, b: IVersion): boolean {
  return (
    a.source === b.source &&
    a.reply === b.reply &&
    a.runId === b.runId &&
    JSONExt.deepEqual(a.attachments ?? [], b.attachments ?? [])
  );
}

function isHashes(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(item => typeof item === 'string');
}

function isOutputs(value: unknown): value is IOutput[] {
  return (
    Array.isArray(value) &&
    value.every(item => isObject(item) && typeof item.output_type === 'string')
  );
}
