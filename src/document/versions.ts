/** Earlier versions of a pair, from before it was edited and sent again. */
import type { ISharedNotebook } from '@jupyter/ydoc';
import type { IOutput } from '@jupyterlab/nbformat';
import type { PartialJSONObject } from '@lumino/coreutils';

import { sentAttachments } from './attachments';
import { isUnderWay } from './lifecycle';
import { readRunInfo, type IRunInfo } from './metadata';
import { readSibling } from './siblingmark';
import type { Pair } from './pair';
import { isStep, readReply, replyOutput, replyPlaces } from './reply';
import { isReplyImage } from './replyimages';
import { withSentFiles } from './sentfiles';
import { pairError } from './state';
import { pushVersion, swapVersion, type IVersion } from './versionlist';

/** The current state of a pair as a version; null if it was never sent and has no reply. */
export function currentVersion(
  pair: Pick<Pair, 'run' | 'parts' | 'source' | 'storedMessages'>
): IVersion | null {
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
    ...(reply?.edited ? { edited: true } : {}),
    ...(reply?.sent === false ? { sent: false } : {}),
    ...(info ? { run: keptInfo(info) } : {}),
    ...(tools.length ? { tools } : {}),
    ...(attachments.length ? { attachments } : {}),
    ...(messages ? { messages } : {}),
    ...readSibling(info)
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
  const chosen = pair.versions[index] as IVersion | undefined;
  if (!chosen || (info && isUnderWay(info.state))) {
    return false;
  }
  swapIn(notebook, pair, index, restoredInfo(chosen, info));
  return true;
}

/** Make a version the current one, with this run metadata; the current one takes its place. */
export function swapIn(
  notebook: ISharedNotebook,
  pair: Pair,
  index: number,
  restored: IRunInfo | null
): void {
  const swap = swapVersion(pair.storedVersions, index, currentVersion(pair));
  if (!swap) {
    return;
  }
  const { chosen, list } = swap;
  const { parts } = pair;
  const remove = replyPlaces(parts);
  const add = versionOutputs(chosen);
  const files = withSentFiles(parts, chosen.attachments);
  notebook.transact(() => {
    pair.distrust();
    if (pair.source !== chosen.source) {
      pair.source = chosen.source;
    }
    if (files.every((part, place) => part === parts[place])) {
      pair.changeParts(remove, add);
    } else {
      const kept = files.filter((_, place) => !remove.includes(place));
      pair.changeParts(parts.map((_, place) => place).reverse(), [
        ...kept,
        ...add
      ]);
    }
    pair.setRun(restored ?? undefined);
    pair.setMessages(chosen.messages);
    pair.setVersions(list);
  }, false);
  if (notebook.disableDocumentWideUndoRedo) {
    // The cell's own undo steps belong to a text that is no longer there.
    pair.cell.clearUndoHistory();
  }
}

/** The outputs of a version. */
export function versionOutputs(version: IVersion): IOutput[] {
  const { reply: text, partial = false, tools = [] } = version;
  const { runId = '', edited, sent } = version;
  const images = tools.filter(isReplyImage);
  const before = tools.filter(output => !isReplyImage(output));
  // Without a run it is another tool's, and complete.
  const isPart = partial && runId !== '';
  const reply = replyOutput({ text, runId, partial: isPart, edited, sent });
  return [...before, ...(text ? [reply] : []), ...images];
}

/** The run metadata that a version keeps besides its own fields. */
export function keptInfo(info: IRunInfo): PartialJSONObject {
  const { model, requestHash, updatedAt, runId, ...others } = info;
  // A snapshot refers to the journal only while the pair itself is in error.
  const { contextSnapshot, group, sibling, ...rest } = others;
  return rest as unknown as PartialJSONObject;
}

/** The run metadata of a version as it is; null if it has no run. */
export function versionInfo(version: IVersion): IRunInfo | null {
  const { model, requestHash, at, runId = '' } = version;
  const known = readRunInfo(version.run);
  if (!known && !runId && !model && !requestHash) {
    return null;
  }
  const state = known?.state ?? guessedState(version);
  return {
    ...(known ?? { attempt: 1, context: [], createdAt: at }),
    state,
    model,
    requestHash,
    updatedAt: at,
    runId,
    ...(state === 'error' && runId
      ? { contextSnapshot: { runId, hash: requestHash } }
      : {}),
    ...readSibling(version)
  };
}

/** The run metadata of a restored version; null if it has no run. */
function restoredInfo(
  version: IVersion,
  before: IRunInfo | null
): IRunInfo | null {
  const info = versionInfo(version);
  if (!info) {
    return null;
  }
  const { requestHash, runId } = info;
  // A version that was saved while its reply was in progress will not get any more text.
  const settled = isUnderWay(info.state) ? 'error' : info.state;
  const error = info.error ?? pairError({ state: 'interrupted', end: null });
  return {
    ...info,
    state: settled,
    // Attempts before the current one must remain earlier ones.
    attempt: Math.max(info.attempt, before?.attempt ?? 1),
    ...(settled === 'error' ? { error } : {}),
    ...(settled === 'error' && runId
      ? { contextSnapshot: { runId, hash: requestHash } }
      : {})
  };
}

function guessedState({ reply, partial }: IVersion): IRunInfo['state'] {
  return reply && !partial ? 'succeeded' : 'error';
}
