/** Lands a run's reply in the document. */
import type { ISharedCodeCell, ISharedNotebook } from '@jupyter/ydoc';
import type { ICodeCell, IDisplayData, IOutput } from '@jupyterlab/nbformat';
import { JSONExt, type PartialJSONObject } from '@lumino/coreutils';

import type { ISeam } from '../base/joining';
import type { IRun } from '../base/run';
import { isUnderWay } from './lifecycle';
import type { IRunInfo, IUsage } from './metadata';
import { Pair } from './pair';
import {
  isPartial,
  isTool,
  outputRunId,
  outputRuns,
  readReply,
  replyOutput
} from './reply';
import { readRound, roundOutput } from './rounds';
import { pairError, pairState } from './state';
import { versionRuns, type IVersion } from './versionlist';
import { currentVersion, saveVersion } from './versions';

/** A run with the content of its stream. */
export interface ILanding {
  run: IRun;
  text: string;
  /** The tool calls of the model. */
  calls?: readonly PartialJSONObject[];
  /** The token usage of the reply, including the attempts that it continues. */
  usage?: IUsage;
  /** Where the text was joined from several attempts. */
  seams?: readonly ISeam[];
  /** The text of an earlier attempt that this one starts over instead of continuing. */
  abandoned?: { run: IRun; text: string };
}

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
  const before = pair.run;
  if (versionRuns(pair.versions).has(run.id)) {
    return changed;
  }
  if (before && before.runId !== run.id && before.attempt > run.attempt) {
    return keepPast(notebook, pair, landing) || changed;
  }
  const { parts } = pair;
  const leaves = leavesReply(parts, landing);
  const seams = leaves ? before?.seams : landing.seams;
  const info = runInfo(before, { ...landing, seams });
  const { remove, add } = leaves
    ? { remove: [], add: null }
    : outputChanges(parts, landing);
  const replaced = replacedVersion(pair, landing);
  if (replaced || remove.length || add || !pair.hasRun(info)) {
    changed = true;
    notebook.transact(() => {
      pair.distrust();
      if (replaced) {
        saveVersion(notebook, pair, replaced);
      }
      pair.changeParts(remove, add ? [add] : []);
      pair.setRun(info);
    }, false);
  }
  if (landing.abandoned && !leaves) {
    changed = keepPast(notebook, pair, landing.abandoned) || changed;
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
    ...(seams.length ? { seams: [...seams] } : {}),
    ...(finish && finish !== 'stop' ? { finish } : {}),
    ...(error
      ? { error, contextSnapshot: { runId: run.id, hash: run.hash } }
      : {})
  };
}

/**
 * What must be removed from and added to a cell's outputs, last index first.
 *
 * An output that is already right stays in place and is never rewritten: two browsers that clean up
 * the same duplicates then delete the same ones and agree. The tool rounds of earlier runs are part
 * of the turn, unless they were interrupted.
 */
function outputChanges(
  outputs: IOutput[],
  landing: ILanding
): { remove: number[]; add: IDisplayData | null } {
  const wanted = landedOutput(landing);
  const remove: number[] = [];
  let present = false;
  outputs.forEach((output, index) => {
    const runId = outputRunId(output);
    const isEarlier =
      runId !== landing.run.id && isTool(output) && !isPartial(output);
    if (runId === null || isEarlier) {
      return;
    }
    if (wanted && !present && isSame(output, wanted)) {
      present = true;
    } else {
      remove.unshift(index);
    }
  });
  return { remove, add: present ? null : wanted };
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
function broughtAny({ run, text, calls = [] }: ILanding): boolean {
  return !!text || calls.length > 0 || run.state === 'done';
}

/** The output for what a run produced; null if that is nothing. */
function landedOutput({
  run,
  text,
  calls = []
}: ILanding): IDisplayData | null {
  const origin = { runId: run.id, partial: run.state !== 'done' };
  if (calls.length) {
    const message = {
      role: 'assistant',
      content: text || null,
      tool_calls: [...calls]
    };
    return roundOutput({ message, results: [] }, origin);
  }
  return text ? replyOutput({ text, ...origin }) : null;
}

/**
 * Whether an output is the wanted one: for a round the calls count, since the results are the
 * user's, and for partial replies the text.
 */
function isSame(output: IOutput, wanted: IOutput): boolean {
  const round = readRound(wanted);
  if (round) {
    return (
      outputRunId(output) === outputRunId(wanted) &&
      isPartial(output) === isPartial(wanted) &&
      JSONExt.deepEqual(readRound(output)?.message ?? null, round.message)
    );
  }
  const [there, here] = [output, wanted].map(one => readReply([one]));
  return (
    JSONExt.deepEqual(output, wanted) ||
    (!!here?.partial && !!there?.partial && there.text === here.text)
  );
}

/**
 * The version that keeps what a run replaces: any reply that it does not continue, and a partial
 * one that it started over and completed.
 */
function replacedVersion(pair: Pair, landing: ILanding): IVersion | null {
  const { run, text } = landing;
  const outputs = pair.parts;
  const shown = readReply(outputs);
  const isOutgrown =
    !!shown?.partial && run.continues === null && run.state === 'done';
  const losesReply =
    !!shown?.runId &&
    shown.runId !== run.id &&
    (isOutgrown || !text.startsWith(shown.text));
  const losesCalls = outputs.some(
    output =>
      isTool(output) && isPartial(output) && outputRunId(output) !== run.id
  );
  return !leavesReply(outputs, landing) &&
    broughtAny(landing) &&
    (losesReply || losesCalls)
    ? currentVersion(pair)
    : null;
}

/** Keep as a version what a later attempt did not continue. */
function keepPast(
  notebook: ISharedNotebook,
  pair: Pair,
  landing: ILanding
): boolean {
  const { run, text, calls = [] } = landing;
  const outputs = pair.parts;
  const shown = readReply(outputs)?.text ?? '';
  const texts = [shown, ...pair.versions.map(({ reply }) => reply)];
  const isKept = calls.length
    ? outputRuns(outputs).includes(run.id)
    : !text || texts.some(other => other.startsWith(text));
  if (isKept) {
    return false;
  }
  const round = calls.length ? landedOutput(landing) : null;
  saveVersion(notebook, pair, {
    source: [run.cell.source].flat().join(''),
    reply: round ? '' : text,
    model: `${run.provider}/${run.model}`,
    requestHash: run.hash,
    at: run.updatedAt,
    runId: run.id,
    ...(run.state === 'done' ? {} : { partial: true }),
    ...(round ? { tools: [round] } : {})
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
