/** Lands a run's reply in the document. */
import type { ISharedCodeCell, ISharedNotebook } from '@jupyter/ydoc';
import type { ICodeCell, IOutput } from '@jupyterlab/nbformat';
import type { PartialJSONObject } from '@lumino/coreutils';

import { isAlive, type IRun } from '../base/run';
import {
  isEditedReply,
  landedOutputs,
  outputChanges,
  sameThought,
  type ILanding
} from './landedoutputs';
import { isUnderWay } from './lifecycle';
import type { IRunInfo } from './metadata';
import { readSibling } from './siblingmark';
import { joinLines } from './multiline';
import { Pair, runIn } from './pair';
import { beginResend } from './resend';
import { readReasoning } from './reasoning';
import { isPartial, isStep, outputRunId, outputRuns, readReply } from './reply';
import {
  beginSiblings,
  joinGroup,
  slotOf,
  withoutGroup,
  type ReplySlot
} from './siblings';
import { pairError, pairState } from './state';
import { versionRuns, type IVersion } from './versionlist';
import { currentVersion, saveVersion } from './versions';

/** Find a pair's cell by its id. */
export function findPair(
  notebook: ISharedNotebook,
  id: string
): ISharedCodeCell | null {
  return Pair.find(notebook, id)?.cell ?? null;
}

/**
 * Insert a pair into the document unless it is there: after the cell `after`, else at the end.
 *
 * Outside the undo stack, because Ctrl+Z must not delete a paid reply.
 */
export function ensurePair(
  notebook: ISharedNotebook,
  cell: ICodeCell,
  after: string | null
): ISharedCodeCell {
  const id = cell.id as string;
  const present = findPair(notebook, id);
  if (present) {
    dropTwins(notebook, present);
    return present;
  }
  const place = placeAfter(notebook, after);
  const spare = spareCells(notebook);
  notebook.transact(() => {
    notebook.insertCell(place, {
      ...cell,
      metadata: withoutTrust(cell.metadata)
    });
    // Within a transaction the list of cells is still the old one.
    for (const index of spare) {
      notebook.deleteCell(index < place ? index : index + 1);
    }
  }, false);
  return findPair(notebook, id)!;
}

/**
 * Write a run's reply and state into its pair.
 *
 * Idempotent: the output is keyed by the run's id, and landing the same run again, from any number
 * of browsers, changes nothing more. Of duplicates from concurrent landings, the first stays.
 * Returns whether the document changed.
 */
export function land(notebook: ISharedNotebook, landing: ILanding): boolean {
  const { run } = landing;
  if (run.dropped) {
    return false;
  }
  let changed = !Pair.find(notebook, run.pair);
  const pair = new Pair(ensurePair(notebook, run.cell, run.after));
  const waiting = run.group === undefined ? null : slotOf(pair, run)?.run;
  const isAwaited =
    waiting?.runId === run.id && isUnderWay(waiting.state) && !isAlive(run);
  if (!isAwaited && versionRuns(pair.versions).has(run.id)) {
    return changed;
  }
  const slot = slotFor(notebook, pair, run);
  const before = slot?.run ?? null;
  if (
    !slot ||
    (before && before.runId !== run.id && before.attempt > run.attempt)
  ) {
    return keepPast(notebook, pair, slot ?? pair, landing) || changed;
  }
  const { parts } = slot;
  const leaves = leavesReply(parts, landing);
  // The seams of what came are not those of a reply that the user edited.
  const isKept = leaves || parts.some(part => isEditedReply(part, run.id));
  const seams = isKept ? before?.seams : landing.seams;
  const info = runInfo(before, { ...landing, seams });
  const { remove, add } = leaves
    ? { remove: [], add: [] }
    : outputChanges(parts, landing);
  const replaced = replacedVersion(slot, landing);
  if (replaced || remove.length || add.length || !slot.hasRun(info)) {
    changed = true;
    notebook.transact(() => {
      slot.distrust();
      slot.changeParts(remove, add);
      slot.setRun(info);
      // Now, since until here the version of a sibling says the same.
      if (replaced) {
        saveVersion(notebook, pair, withoutGroup(replaced));
      }
    }, false);
  }
  const past = leaves ? landing : landing.abandoned;
  if (past) {
    changed = keepPast(notebook, pair, slot, past) || changed;
  }
  return changed;
}

/** The id of the last cell that is not spare; null if there is none. */
export function lastCell(notebook: ISharedNotebook): string | null {
  const spare = spareCells(notebook);
  for (let i = notebook.cells.length - 1; i >= 0; i--) {
    if (!spare.includes(i)) {
      return notebook.cells[i].getId();
    }
  }
  return null;
}

/** Whether a run's pair has its reply, as the current one or as a version. */
export function hasLanded(
  notebook: ISharedNotebook,
  run: Pick<IRun, 'id' | 'pair'>
): boolean {
  const pair = Pair.find(notebook, run.pair);
  return pair !== null && pairRuns(pair).includes(run.id);
}

/** The ids of the runs whose replies are in the document. */
export function landedRuns(notebook: ISharedNotebook): Set<string> {
  return new Set(Pair.all(notebook).flatMap(pairRuns));
}

function pairRuns({ run, versions, parts }: Pair): string[] {
  const current = run && !isUnderWay(run.state) ? [run.runId] : [];
  // A turn with tools consists of several runs.
  return [...current, ...versionRuns(versions), ...outputRuns(parts)];
}

/** The metadata of a pair for a run. */
export function runInfo(
  before: IRunInfo | null,
  { run, usage, seams = [] }: Pick<ILanding, 'run' | 'usage' | 'seams'>
): IRunInfo {
  const error = pairError(run);
  const finish = run.end?.finish;
  const kept: Partial<IRunInfo> = { ...(before ?? {}) };
  delete kept.error;
  delete kept.contextSnapshot;
  delete kept.usage;
  delete kept.seconds;
  delete kept.seams;
  delete kept.finish;
  return {
    context: [],
    ...kept,
    state: pairState(run.state),
    model: `${run.provider}/${run.model}`,
    createdAt: before?.createdAt || run.createdAt,
    updatedAt: run.updatedAt,
    runId: run.id,
    attempt: run.attempt,
    requestHash: run.hash,
    ...(usage ? { usage } : {}),
    ...(isAlive(run)
      ? {}
      : { seconds: Math.max(0, run.updatedAt - run.createdAt) / 1000 }),
    ...(seams.length ? { seams: [...seams] } : {}),
    ...(finish && finish !== 'stop' ? { finish } : {}),
    ...(error
      ? { error, contextSnapshot: { runId: run.id, hash: run.hash } }
      : {}),
    ...readSibling(run)
  };
}

/**
 * Where a run's reply lands in its pair; null if the pair was sent again since without it.
 *
 * The file may have been read again without the siblings, because it was never saved with them: then
 * the cell that was posted has them.
 */
function slotFor(
  notebook: ISharedNotebook,
  pair: Pair,
  run: IRun
): ReplySlot | null {
  const known = slotOf(pair, run);
  const group = run.group;
  const current = pair.run;
  if (known || group === undefined) {
    return known;
  }
  if (current && current.group !== group && current.attempt > run.attempt) {
    return null;
  }
  const posted = runIn(run.cell.metadata);
  if (current?.group !== group && posted?.group === group) {
    if (posted.runId === current?.runId) {
      joinGroup(notebook, pair, readSibling(posted)!);
    } else {
      beginResend(notebook, pair.cell, joinLines(run.cell.source), posted);
    }
  }
  if (!slotOf(pair, run)) {
    const info = runInfo(null, { run });
    const state = isAlive(run) ? info.state : 'sending';
    beginSiblings(notebook, pair, [{ ...info, state }]);
  }
  return slotOf(pair, run);
}

/**
 * Whether a partial reply stays, because the next attempt added nothing or, starting over, was
 * interrupted before it was longer.
 */
function leavesReply(outputs: IOutput[], landing: ILanding): boolean {
  const { run, text, calls = [] } = landing;
  const shown = readReply(outputs);
  const isShorter =
    run.state !== 'done' &&
    !calls.length &&
    !!shown?.partial &&
    shown.text !== text &&
    shown.text.startsWith(text);
  return (!broughtAny(landing) && outputs.some(isPartial)) || isShorter;
}

/** Whether a run produced anything, or ran to its end. */
function broughtAny(landing: ILanding): boolean {
  return landedOutputs(landing).length > 0 || landing.run.state === 'done';
}

/**
 * The version that keeps what a run replaces: any reply that it does not continue, and a partial
 * one that it started over and completed.
 */
function replacedVersion(slot: ReplySlot, landing: ILanding): IVersion | null {
  const { run, text } = landing;
  const outputs = slot.parts;
  const shown = readReply(outputs);
  const isOutgrown =
    !!shown?.partial && run.continues === null && run.state === 'done';
  const losesReply =
    !!shown?.runId &&
    shown.runId !== run.id &&
    (isOutgrown || !!shown.edited || !text.startsWith(shown.text));
  const losesSteps = outputs.some(
    output => isStep(output) && isPartial(output) && isLost(output, landing)
  );
  return !leavesReply(outputs, landing) &&
    broughtAny(landing) &&
    (losesReply || losesSteps)
    ? currentVersion(slot)
    : null;
}

/** Whether a step of another run is in none of the outputs of this one. */
function isLost(output: IOutput, landing: ILanding): boolean {
  const thought = readReasoning(output);
  return (
    outputRunId(output) !== landing.run.id &&
    !(thought && landing.reasoning?.some(one => sameThought(one, thought)))
  );
}

/** Keep as a version what a later attempt did not continue. */
function keepPast(
  notebook: ISharedNotebook,
  pair: Pair,
  slot: ReplySlot,
  landing: ILanding
): boolean {
  const { run, text, calls = [], reasoning = [] } = landing;
  const outputs = slot.parts;
  const shown = readReply(outputs)?.text ?? '';
  // The reply of a sibling that begins alike is another one.
  const past = pair.versions.filter(({ group }) => group === undefined);
  const texts = [shown, ...past.map(({ reply }) => reply)];
  const steps = landedOutputs(landing).filter(isStep);
  const known = [...outputs, ...past.flatMap(({ tools = [] }) => tools)].map(
    readReasoning
  );
  const isKept = calls.length
    ? outputRuns(outputs).includes(run.id)
    : texts.some(other => other.startsWith(text)) &&
      reasoning.every(one => known.some(other => sameThought(other, one)));
  if (isKept) {
    return false;
  }
  saveVersion(notebook, pair, {
    source: joinLines(run.cell.source),
    reply: calls.length ? '' : text,
    model: `${run.provider}/${run.model}`,
    requestHash: run.hash,
    at: run.updatedAt,
    runId: run.id,
    ...(run.state === 'done' ? {} : { partial: true }),
    ...(steps.length ? { tools: steps } : {})
  });
  return true;
}

/**
 * Two browsers may both have restored a missing pair. All delete the same later ones, since all see
 * the same order.
 */
function dropTwins(notebook: ISharedNotebook, first: ISharedCodeCell): void {
  const id = first.getId();
  const twins: number[] = [];
  notebook.cells.forEach((cell, index) => {
    if (cell !== first && cell.getId() === id) {
      twins.unshift(index);
    }
  });
  if (twins.length) {
    notebook.transact(() => twins.forEach(i => notebook.deleteCell(i)), false);
  }
}

/** The indices of spare cells, which the first pair replaces; last index first. */
function spareCells(notebook: ISharedNotebook): number[] {
  return notebook.cells
    .flatMap((cell, index) => (Pair.of(cell)?.isSpare ? [index] : []))
    .reverse();
}

function placeAfter(notebook: ISharedNotebook, after: string | null): number {
  if (after === null) {
    return 0;
  }
  const index = notebook.cells.findIndex(cell => cell.getId() === after);
  return index === -1 ? notebook.cells.length : index + 1;
}

function withoutTrust(metadata: PartialJSONObject): PartialJSONObject {
  const { trusted: _, ...rest } = metadata;
  return rest;
}
