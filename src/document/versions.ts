/**
 * Earlier versions of a pair: what it said before it was edited and sent again.
 */
import type { ISharedCodeCell, ISharedNotebook } from '@jupyter/ydoc';
import type { IOutput } from '@jupyterlab/nbformat';
import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

import { isUnderWay } from './lifecycle';
import { isObject } from '../base/json';
import { KEYS, readRunInfo, type IRunInfo } from './metadata';
import {
  isTool,
  outputRuns,
  readReply,
  replyOutput,
  replyPlaces
} from './reply';
import { pairError } from './state';

/** One version of a pair. */
export interface IVersion {
  source: string;
  reply: string;
  model: string;
  requestHash: string;
  /** When it came to its end. */
  at: number;
  /** The run that made the reply, if one of ours did. */
  runId?: string;
  /** Whether the reply was cut off. */
  partial?: boolean;
  /** The rest of what the machine knew, so that a restored version is what it was. */
  run?: PartialJSONObject;
  /** The outputs of its tool calls. */
  tools?: IOutput[];
  /** The messages that it stood for where its text could not say them. */
  messages?: PartialJSONObject;
}

/** Read a cell's versions; what cannot be read counts as absent. */
export function readVersions(value: unknown): IVersion[] {
  return Array.isArray(value)
    ? value.map(readVersion).filter(version => version !== null)
    : [];
}

/**
 * A stored list with one more version at its end, unless that one is in it.
 *
 * Entries that cannot be read are not ours to drop; they stay.
 */
export function pushVersion<T>(
  list: readonly T[],
  version: IVersion
): (T | IVersion)[] {
  return readVersions(list).some(known => isSame(known, version))
    ? [...list]
    : [...list, version];
}

/** A stored list in which `current` has taken the place of a version; null if there is none with that index. */
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
 * Where Previous (-1) and Next (+1) lead among the versions and, last, the current one.
 *
 * Answers null at either end.
 */
export function stepVersion(
  count: number,
  index: number,
  step: -1 | 1
): number | null {
  const next = index + step;
  return next >= 0 && next <= count ? next : null;
}

/** The runs whose replies are in the list. They have landed; landing them again must not bring them back. */
export function versionRuns(list: readonly IVersion[]): Set<string> {
  return new Set(
    list.flatMap(({ runId, tools = [] }) => [
      ...(runId === undefined ? [] : [runId]),
      ...outputRuns(tools)
    ])
  );
}

/** A cell's versions, oldest first. */
export function versionsOf(cell: ISharedCodeCell): IVersion[] {
  return readVersions(cell.getMetadata(KEYS.versions));
}

/** What a cell says now, as a version; null if it was never sent and has no reply. */
export function currentVersion(cell: ISharedCodeCell): IVersion | null {
  const info = readRunInfo(cell.getMetadata(KEYS.run));
  const outputs = cell.getOutputs();
  const reply = readReply(outputs);
  if (!info && !reply) {
    return null;
  }
  const runId = reply?.runId || info?.runId;
  const tools = outputs.filter(isTool);
  const messages: unknown = cell.getMetadata(KEYS.messages);
  return {
    source: cell.getSource(),
    reply: reply?.text ?? '',
    model: info?.model ?? '',
    requestHash: info?.requestHash ?? '',
    at: info?.updatedAt ?? 0,
    ...(runId ? { runId } : {}),
    ...(reply?.partial ? { partial: true } : {}),
    ...(info ? { run: keptInfo(info) } : {}),
    ...(tools.length ? { tools } : {}),
    ...(isObject(messages) ? { messages } : {})
  };
}

/**
 * Keep what a cell says now among its versions, before it is sent again.
 *
 * Outside the undo stack, because Ctrl+Z must not lose a paid reply. Answers what was kept; null
 * if there was nothing to keep.
 */
export function saveVersion(
  notebook: ISharedNotebook,
  cell: ISharedCodeCell,
  version: IVersion | null = currentVersion(cell)
): IVersion | null {
  if (version) {
    const list = pushVersion(storedVersions(cell), version);
    notebook.transact(() => setVersions(cell, list), false);
  }
  return version;
}

/**
 * Make an earlier version the current one; what was current takes its place in the list.
 *
 * Answers whether it did: not while a reply is under way, nor if there is no such version.
 */
export function restoreVersion(
  notebook: ISharedNotebook,
  cell: ISharedCodeCell,
  index: number
): boolean {
  const info = readRunInfo(cell.getMetadata(KEYS.run));
  const swap = swapVersion(storedVersions(cell), index, currentVersion(cell));
  if (!swap || (info && isUnderWay(info.state))) {
    return false;
  }
  const { chosen, list } = swap;
  const restored = restoredInfo(chosen, info);
  const remove = replyPlaces(cell.getOutputs());
  const add = versionOutputs(chosen);
  notebook.transact(() => {
    cell.deleteMetadata('trusted');
    if (cell.getSource() !== chosen.source) {
      cell.setSource(chosen.source);
    }
    for (const place of remove) {
      cell.updateOutputs(place, place + 1, []);
    }
    const end = cell.getOutputs().length;
    cell.updateOutputs(end, end, add);
    if (restored) {
      cell.setMetadata(KEYS.run, restored as unknown as PartialJSONObject);
    } else {
      cell.deleteMetadata(KEYS.run);
    }
    if (chosen.messages) {
      cell.setMetadata(KEYS.messages, chosen.messages);
    } else {
      cell.deleteMetadata(KEYS.messages);
    }
    setVersions(cell, list);
  }, false);
  if (notebook.disableDocumentWideUndoRedo) {
    // The cell's own undo steps are about a text that is no longer there.
    cell.clearUndoHistory();
  }
  return true;
}

function readVersion(value: unknown): IVersion | null {
  if (!isObject(value)) {
    return null;
  }
  const { source, reply, model, requestHash, at, runId, run, tools, messages } =
    value;
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
    ...(isObject(run) ? { run } : {}),
    ...(isOutputs(tools) ? { tools } : {}),
    ...(isObject(messages) ? { messages } : {})
  };
}

function storedVersions(cell: ISharedCodeCell): unknown[] {
  const value: unknown = cell.getMetadata(KEYS.versions);
  return Array.isArray(value) ? value : [];
}

function setVersions(cell: ISharedCodeCell, list: readonly unknown[]): void {
  if (list.length) {
    cell.setMetadata(KEYS.versions, list as PartialJSONValue);
  } else {
    cell.deleteMetadata(KEYS.versions);
  }
}

/** The outputs that stand for a version. */
function versionOutputs(version: IVersion): IOutput[] {
  const { reply: text, runId, partial = false, tools = [] } = version;
  if (!text) {
    return tools;
  }
  const output = replyOutput({ text, runId: runId ?? '', partial });
  return [...tools, runId ? output : { ...output, metadata: {} }];
}

/** What a version keeps of the machine's entry besides its own fields. */
function keptInfo(info: IRunInfo): PartialJSONObject {
  // A snapshot refers to the journal only while the pair itself is in error.
  const { model, requestHash, updatedAt, runId, contextSnapshot, ...rest } =
    info;
  return rest as unknown as PartialJSONObject;
}

/** What the machine knows of a restored version; null if no run made it. */
function restoredInfo(
  version: IVersion,
  before: IRunInfo | null
): IRunInfo | null {
  const { model, requestHash, at, runId = '' } = version;
  const known = readRunInfo(version.run);
  if (!known && !runId && !model && !requestHash) {
    return null;
  }
  const state = known?.state ?? guessedState(version);
  // A version that was kept while its reply was under way has all it will ever have.
  const settled = isUnderWay(state) ? 'error' : state;
  const error = known?.error ?? pairError({ state: 'interrupted', end: null });
  return {
    ...(known ?? { context: [], createdAt: at }),
    state: settled,
    model,
    requestHash,
    updatedAt: at,
    runId,
    // Attempts that came before the one that was current stay earlier ones.
    attempt: Math.max(known?.attempt ?? 1, before?.attempt ?? 1),
    ...(settled === 'error' ? { error } : {}),
    ...(settled === 'error' && runId
      ? { contextSnapshot: { runId, hash: requestHash } }
      : {})
  };
}

function guessedState({ reply, partial }: IVersion): IRunInfo['state'] {
  return reply && !partial ? 'succeeded' : 'error';
}

function isSame(a: IVersion, b: IVersion): boolean {
  return a.source === b.source && a.reply === b.reply && a.runId === b.runId;
}

function isOutputs(value: unknown): value is IOutput[] {
  return (
    Array.isArray(value) &&
    value.every(item => isObject(item) && typeof item.output_type === 'string')
  );
}
