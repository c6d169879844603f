/** Earlier versions of a pair, from before it was edited and sent again. */
import type { ISharedNotebook } from '@jupyter/ydoc';
import type { IOutput } from '@jupyterlab/nbformat';
import type { PartialJSONObject } from '@lumino/coreutils';

import { readAttachments, sentAttachments, withSent } from './attachments';
import { isUnderWay } from './lifecycle';
import { readRunInfo, type IRunInfo } from './metadata';
import type { Pair } from './pair';
import { isStep, readReply, replyOutput, replyPlaces } from './reply';
import { isReplyImage } from './replyimages';
import { pairError } from './state';
import { pushVersion, swapVersion, type IVersion } from './versionlist';

/** The current state of a pair as a version; null if it was never sent and has no reply. */
export function currentVersion(pair: Pair): IVersion | null {
  const { run: info, parts, storedMessages: messages } = pair;
  const reply = readReply(parts);
  if (!info && !reply) {
    return null;
  }
  const runId = reply?.runId || info?.runId;
  const tools = parts.filter(isStep);
  const attachments = sentAttachments(parts).map(({ sha256 }) => sha256);
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
    ...(attachments.length ? { attachments } : {}),
    ...(messages ? { messages } : {})
  };
}

/**
 * Save the current state of a pair as a version, before it is sent again.
 *
 * Outside the undo stack, because Ctrl+Z must not lose a paid reply. Returns the version, or null
 * if there was nothing to save.
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
 * Make an earlier version the current one; the current one takes its place in the list.
 *
 * Returns whether it did: not while a reply is in progress, nor if there is no such version.
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
    sendOnly(pair, new Set(chosen.attachments));
    pair.setRun(restored ?? undefined);
    pair.setMessages(chosen.messages);
    pair.setVersions(list);
  }, false);
  if (notebook.disableDocumentWideUndoRedo) {
    // The cell's own undo steps belong to a text that is no longer there.
    pair.cell.clearUndoHistory();
  }
  return true;
}

/** Send the attachments that a version sent, and no others. */
function sendOnly(pair: Pair, hashes: ReadonlySet<string>): void {
  const { parts } = pair;
  const after = parts.map(part => {
    const [file] = readAttachments([part]);
    const isWanted = !!file && hashes.has(file.sha256);
    return file?.isThere && file.isSent !== isWanted
      ? withSent(part, isWanted)
      : part;
  });
  const first = after.findIndex((part, n) => part !== parts[n]);
  if (first !== -1) {
    const places = parts.map((_, n) => n).slice(first);
    pair.changeParts(places.reverse(), after.slice(first));
  }
}

/** The outputs of a version. */
function versionOutputs(version: IVersion): IOutput[] {
  const { reply: text, runId, partial = false, tools = [] } = version;
  const images = tools.filter(isReplyImage);
  const before = tools.filter(output => !isReplyImage(output));
  const output = replyOutput({ text, runId: runId ?? '', partial });
  const reply = runId ? output : { ...output, metadata: {} };
  return [...before, ...(text ? [reply] : []), ...images];
}

/** The run metadata that a version keeps besides its own fields. */
function keptInfo(info: IRunInfo): PartialJSONObject {
  // A snapshot refers to the journal only while the pair itself is in error.
  const { model, requestHash, updatedAt, runId, contextSnapshot, ...rest } =
    info;
  return rest as unknown as PartialJSONObject;
}

/** The run metadata of a restored version; null if it has no run. */
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
  // A version that was saved while its reply was in progress will not get any more text.
  const settled = isUnderWay(state) ? 'error' : state;
  const error = known?.error ?? pairError({ state: 'interrupted', end: null });
  return {
    ...(known ?? { context: [], createdAt: at }),
    state: settled,
    model,
    requestHash,
    updatedAt: at,
    runId,
    // Attempts before the current one must remain earlier ones.
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
