/**
 * Earlier versions of a pair: what it said before it was edited and sent again.
 */
import type { ISharedCodeCell, ISharedNotebook } from '@jupyter/ydoc';
import type { IOutput } from '@jupyterlab/nbformat';
import type { PartialJSONObject } from '@lumino/coreutils';

import { isUnderWay } from './lifecycle';
import { readRunInfo, type IRunInfo } from './metadata';
import { Pair } from './pair';
import { isTool, readReply, replyOutput, replyPlaces } from './reply';
import { pairError } from './state';
import { pushVersion, swapVersion, type IVersion } from './versionlist';

/** A cell's versions, oldest first. */
export function versionsOf(cell: ISharedCodeCell): IVersion[] {
  return new Pair(cell).versions;
}

/** What a pair says now, as a version; null if it was never sent and has no reply. */
export function currentVersion(pair: Pair): IVersion | null {
  const { run: info, parts, storedMessages: messages } = pair;
  const reply = readReply(parts);
  if (!info && !reply) {
    return null;
  }
  const runId = reply?.runId || info?.runId;
  const tools = parts.filter(isTool);
  return {
    source: pair.source,
    reply: reply?.text ?? '',
    model: info?.model ?? '',
    requestHash: info?.requestHash ?? '',
    at: info?.updatedAt ?? 0,
    ...(runId ? { runId } : {}),
    ...(reply?.partial ? { partial: true } : {}),
    ...(info ? { run: keptInfo(info) } : {}),
    ...(tools.length ? { tools } : {}),
    ...(messages ? { messages } : {})
  };
}

/**
 * Keep what a pair says now among its versions, before it is sent again.
 *
 * Outside the undo stack, because Ctrl+Z must not lose a paid reply. Answers what was kept; null
 * if there was nothing to keep.
 */
export function saveVersion(
  notebook: ISharedNotebook,
  pair: Pair,
  version: IVersion | null = currentVersion(pair)
): IVersion | null {
  if (version) {
    const list = pushVersion(pair.storedVersions, version);
    notebook.transact(() => pair.setVersions(list), false);
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
  pair: Pair,
  index: number
): boolean {
  const info = pair.run;
  const swap = swapVersion(pair.storedVersions, index, currentVersion(pair));
  if (!swap || (info && isUnderWay(info.state))) {
    return false;
  }
  const { chosen, list } = swap;
  const restored = restoredInfo(chosen, info);
  const remove = replyPlaces(pair.parts);
  const add = versionOutputs(chosen);
  notebook.transact(() => {
    pair.distrust();
    if (pair.source !== chosen.source) {
      pair.source = chosen.source;
    }
    pair.changeParts(remove, add);
    pair.setRun(restored ?? undefined);
    pair.setMessages(chosen.messages);
    pair.setVersions(list);
  }, false);
  if (notebook.disableDocumentWideUndoRedo) {
    // The cell's own undo steps are about a text that is no longer there.
    pair.cell.clearUndoHistory();
  }
  return true;
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
