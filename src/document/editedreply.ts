/** Replies that the user edited: what came stays as a version. */
import type { ISharedNotebook } from '@jupyter/ydoc';
import type { IOutput } from '@jupyterlab/nbformat';
import type { PartialJSONObject } from '@lumino/coreutils';

import { isObject, wellFormed } from '../base/json';
import { isUnderWay } from './lifecycle';
import { readRunInfo } from './metadata';
import type { Pair } from './pair';
import { replyPart } from './parts';
import type { IReply } from './reply';
import { shownOutput } from './shown';
import { withoutGroup } from './siblings';
import { undoStep } from './undostep';
import { pushVersion, withoutVersion, type IVersion } from './versionlist';
import { currentVersion } from './versions';

/**
 * Whether the reply among a pair's outputs can be edited: it is one output, of Markdown. What a
 * kernel printed, or another tool wrote in pieces, cannot.
 */
export function canEditReply(outputs: readonly IOutput[]): boolean {
  return replyPlace(outputs) !== null;
}

/** The reply of an edited pair as it came; null if it was not edited, or if it is not known. */
export function receivedReply(pair: Pair): IVersion | null {
  const { reply, run } = pair;
  const runId = reply?.runId || run?.runId || '';
  return reply?.edited ? receivedIn(pair.versions, runId) : null;
}

/**
 * Replace the text of a pair's reply, as one step of undo.
 *
 * What came becomes a version, and so does an edited text that the user has not seen. The text that
 * came, written again, is no edit. Returns whether the document changed: not while a reply is in
 * progress, and not to an empty text.
 *
 * @param seen - The text that the user began with; by default the current one.
 */
export function editReply(
  notebook: ISharedNotebook,
  pair: Pair,
  text: string,
  seen = pair.reply?.text
): boolean {
  const change = edit(pair, text, seen);
  if (!change) {
    return false;
  }
  const { runId, text: before } = pair.reply!;
  countEdit(notebook, pair, { runId, before, after: change.text });
  notebook.transact(change.apply, false);
  return true;
}

/** What undoing an edit has to know: its texts, or the version that it added. */
export type IEditNote = { pair: string } & (
  { runId: string; before: string; after: string } | { version: IVersion }
);

/**
 * Make an edit a step of undo.
 *
 * What the pair says is replaced outside the undo stack when others are chosen, and a step of texts
 * that are gone would change nothing: the one before it would be undone instead. So the step changes a
 * mark, which nobody else does, and the texts follow it (`FollowedSteps`).
 */
function countEdit(
  notebook: ISharedNotebook,
  pair: Pair,
  note: Omit<IEditNote, 'pair'>
): void {
  undoStep(notebook, () => pair.countEdit(), { pair: pair.id, ...note });
}

/** Undo or repeat an edit of a pair; returns whether the document changed. */
export function followEdit(
  pair: Pair,
  note: IEditNote,
  type: 'undo' | 'redo'
): boolean {
  const notebook = pair.cell.notebook!;
  if ('version' in note) {
    const change = type === 'undo' ? withoutVersion : pushVersion;
    const list = change(pair.storedVersions, note.version);
    notebook.transact(() => pair.setVersions(list), false);
    return true;
  }
  const { runId, before, after } = note;
  const [from, to] = type === 'undo' ? [after, before] : [before, after];
  const { reply } = pair;
  const isSame = reply?.runId === runId && reply.text === from;
  const change = isSame ? edit(pair, to, from) : null;
  if (change) {
    notebook.transact(change.apply, false);
  }
  return change !== null;
}

/** How to replace the text of a reply, and by what; null if nothing is to change. */
function edit(
  pair: Pair,
  text: string,
  seen: string | undefined
): { text: string; apply: () => void } | null {
  const { parts: outputs, reply, run } = pair;
  const place = replyPlace(outputs);
  const current = currentVersion(pair);
  const isBusy = run !== null && isUnderWay(run.state);
  if (place === null || !reply || !current || isBusy || !text.trim()) {
    return null;
  }
  const received = reply.edited ? receivedReply(pair) : current;
  const next =
    received && sameText(text, received.reply)
      ? received.reply
      : wellFormed(text);
  if (sameText(next, reply.text)) {
    return null;
  }
  const isReceived = received !== null && next === received.reply;
  const seams = isReceived ? readRunInfo(received.run)?.seams : undefined;
  const list = withoutVersion(pair.storedVersions, { ...current, reply: next });
  const output = outputs[place];
  const apply = () => {
    pair.updatePart(place, {
      data: { ...(output.data as PartialJSONObject), 'text/markdown': next },
      metadata: withEdited(output, !isReceived)
    });
    const isKnown = reply.edited && reply.text === seen;
    // The pair stays the sibling; what came is no other one.
    const past = withoutGroup(current);
    pair.setVersions(isKnown ? list : pushVersion(list, past));
    if (run && (run.seams || seams)) {
      const { seams: _, ...rest } = run;
      pair.setRun(seams ? { ...rest, seams } : rest);
    }
  };
  return { text: next, apply };
}

/** A reply that the user began to edit. */
export type SeenReply = Pick<IReply, 'text' | 'runId'>;

/**
 * Save the edited text of a reply, as one step of undo.
 *
 * If another reply has taken the place of the one that the user saw, that stays, and the text becomes
 * a version of the earlier one. Returns where the text is now; null if nothing changed.
 */
export function saveEdited(
  notebook: ISharedNotebook,
  pair: Pair,
  text: string,
  seen: SeenReply
): 'reply' | 'version' | null {
  if (pair.reply?.runId === seen.runId) {
    return editReply(notebook, pair, text, seen.text) ? 'reply' : null;
  }
  const version = earlierVersion(pair, seen.runId);
  if (!version || !text.trim()) {
    return null;
  }
  const { storedVersions: stored } = pair;
  const edited: IVersion = {
    ...withoutGroup(version),
    reply: wellFormed(text),
    edited: true
  };
  const list = pushVersion(stored, edited);
  if (list.length > stored.length) {
    countEdit(notebook, pair, { version: edited });
    notebook.transact(() => pair.setVersions(list), false);
  }
  return 'version';
}

/** The version with the reply of a run, else what is known of the pair now. */
function earlierVersion(pair: Pair, runId: string): IVersion | null {
  const of = pair.versions.filter(version => version.runId === runId);
  const current = currentVersion(pair);
  return of.at(-1) ?? (current && { ...current, runId });
}

/** The index of the only output with the reply's text; null if there is no such. */
function replyPlace(outputs: readonly IOutput[]): number | null {
  const part = replyPart(outputs);
  const [place, ...others] = part?.canChange ? part.places : [];
  return place !== undefined &&
    !others.length &&
    shownOutput(outputs[place]).kind === 'markdown'
    ? place
    : null;
}

/** The last version with the reply of a run as it came. */
function receivedIn(
  versions: readonly IVersion[],
  runId: string
): IVersion | null {
  const known = versions.filter(
    version => !version.edited && (version.runId ?? '') === runId
  );
  return known.at(-1) ?? null;
}

/** Editors know only one kind of line break. */
function sameText(one: string, other: string): boolean {
  return one.replace(/\r\n?/g, '\n') === other.replace(/\r\n?/g, '\n');
}

function withEdited(output: IOutput, isEdited: boolean): PartialJSONObject {
  const metadata: unknown = output.metadata;
  const { turnbook, ...rest } = isObject(metadata) ? metadata : {};
  const { edited: _, ...entry } = isObject(turnbook) ? turnbook : {};
  const next = isEdited ? { ...entry, edited: true } : entry;
  return Object.keys(next).length ? { ...rest, turnbook: next } : rest;
}
