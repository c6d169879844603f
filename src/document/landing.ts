/** Lands a run's reply in the document. */
import type { ISharedCodeCell, ISharedNotebook } from '@jupyter/ydoc';
import type { ICodeCell, IDisplayData, IOutput } from '@jupyterlab/nbformat';
import { JSONExt, type PartialJSONObject } from '@lumino/coreutils';

import type { ISeam } from '../base/joining';
import { isAlive, type IRun } from '../base/run';
import { isUnderWay } from './lifecycle';
import type { IRunInfo } from './metadata';
import { Pair } from './pair';
import { withSent } from './sentmark';
import { readReasoning, reasoningOutput, type IReasoning } from './reasoning';
import {
  isEdited,
  isPartial,
  isStep,
  isTool,
  outputRunId,
  outputRuns,
  readReply,
  replyOutput
} from './reply';
import { replyImageOutput } from './replyimages';
import { readRound, roundOutput } from './rounds';
import { pairError, pairState } from './state';
import type { IUsage } from './usage';
import { versionRuns, type IVersion } from './versionlist';
import { currentVersion, saveVersion } from './versions';

/** A run with the content of its stream. */
export interface ILanding {
  run: IRun;
  text: string;
  /** The tool calls of the model. */
  calls?: readonly PartialJSONObject[];
  /** What the model thought, one for each attempt that the reply was joined from. */
  reasoning?: readonly IReasoning[];
  /** The URLs of the images that the model made. */
  images?: readonly string[];
  /** The token usage of the reply, including the attempts that it continues. */
  usage?: IUsage;
  /** Where the text was joined from several attempts. */
  seams?: readonly ISeam[];
  /** The text of an earlier attempt that this one starts over instead of continuing. */
  abandoned?: {
    run: IRun;
    text: string;
    reasoning?: readonly IReasoning[];
  };
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
  // The seams of what came are not those of a reply that the user edited.
  const isKept = leaves || parts.some(part => isEditedReply(part, run.id));
  const seams = isKept ? before?.seams : landing.seams;
  const info = runInfo(before, { ...landing, seams });
  const { remove, add } = leaves
    ? { remove: [], add: [] }
    : outputChanges(parts, landing);
  const replaced = replacedVersion(pair, landing);
  if (replaced || remove.length || add.length || !pair.hasRun(info)) {
    changed = true;
    notebook.transact(() => {
      pair.distrust();
      if (replaced) {
        saveVersion(notebook, pair, replaced);
      }
      pair.changeParts(remove, add);
      pair.setRun(info);
    }, false);
  }
  const past = leaves ? landing : landing.abandoned;
  if (past) {
    changed = keepPast(notebook, pair, past) || changed;
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
      : {})
  };
}

/**
 * What must be removed from and added to a cell's outputs, last index first.
 *
 * Outputs that are already right stay in place and are never rewritten: two browsers that clean up
 * the same duplicates then delete the same ones and agree. The tool rounds of earlier runs are part
 * of the turn, with the reasoning before them, unless they were interrupted.
 */
function outputChanges(
  outputs: IOutput[],
  landing: ILanding
): { remove: number[]; add: IDisplayData[] } {
  const wanted = landedOutputs(landing);
  const earlier = earlierRounds(outputs, landing.run);
  const remove: number[] = [];
  let present = 0;
  outputs.forEach((output, index) => {
    const runId = outputRunId(output);
    if (runId === null || (earlier.has(runId) && isStep(output))) {
      return;
    }
    if (present < wanted.length && isSame(output, wanted[present])) {
      present++;
    } else {
      remove.unshift(index);
    }
  });
  return { remove, add: wanted.slice(present) };
}

/** The runs of the turn before this one, whose calls are complete. */
function earlierRounds(outputs: readonly IOutput[], run: IRun): Set<string> {
  const rounds = outputs.filter(output => isTool(output) && !isPartial(output));
  const runs = new Set(outputRuns(rounds));
  runs.delete(run.id);
  return runs;
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

/** The outputs for what a run produced, in order. */
function landedOutputs({
  run,
  text,
  calls = [],
  images = [],
  reasoning = [],
  usage
}: ILanding): IDisplayData[] {
  const origin = { runId: run.id, partial: run.state !== 'done' };
  const steps = reasoning.map(thought => reasoningOutput(thought, origin));
  if (calls.length) {
    const message = {
      role: 'assistant',
      content: text || null,
      tool_calls: [...calls]
    };
    const model = `${run.provider}/${run.model}`;
    return [
      ...steps,
      roundOutput({ message, results: [] }, { ...origin, model, usage })
    ];
  }
  return [
    ...steps,
    ...(text ? [replyOutput({ text, ...origin })] : []),
    ...images.map(url => replyImageOutput(url, origin))
  ];
}

/**
 * Whether an output is the wanted one: for a round the calls count, since the results are the
 * user's, for partial replies the text, and for reasoning not how long it took, which each browser
 * measures. What the user edited or does not send stays so.
 */
function isSame(output: IOutput, wanted: IOutput): boolean {
  const thought = readReasoning(wanted);
  if (thought) {
    return (
      outputRunId(output) === outputRunId(wanted) &&
      isPartial(output) === isPartial(wanted) &&
      sameThought(readReasoning(output), thought)
    );
  }
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
    JSONExt.deepEqual(withSent(output, true), wanted) ||
    (here !== null && isEditedReply(output, outputRunId(wanted))) ||
    (!!here?.partial && !!there?.partial && there.text === here.text)
  );
}

/** Whether an output is the reply of a run, edited by the user. */
function isEditedReply(output: IOutput, runId: string | null): boolean {
  return (
    isEdited(output) &&
    outputRunId(output) === runId &&
    readReply([output]) !== null
  );
}

function sameThought(a: IReasoning | null, b: IReasoning): boolean {
  return (
    a?.field === b.field && JSON.stringify(a.value) === JSON.stringify(b.value)
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
    (isOutgrown || !!shown.edited || !text.startsWith(shown.text));
  const losesSteps = outputs.some(
    output => isStep(output) && isPartial(output) && isLost(output, landing)
  );
  return !leavesReply(outputs, landing) &&
    broughtAny(landing) &&
    (losesReply || losesSteps)
    ? currentVersion(pair)
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
  landing: ILanding
): boolean {
  const { run, text, calls = [], reasoning = [] } = landing;
  const outputs = pair.parts;
  const shown = readReply(outputs)?.text ?? '';
  const texts = [shown, ...pair.versions.map(({ reply }) => reply)];
  const steps = landedOutputs(landing).filter(isStep);
  const known = [
    ...outputs,
    ...pair.versions.flatMap(({ tools = [] }) => tools)
  ].map(readReasoning);
  const isKept = calls.length
    ? outputRuns(outputs).includes(run.id)
    : texts.some(other => other.startsWith(text)) &&
      reasoning.every(one => known.some(other => sameThought(other, one)));
  if (isKept) {
    return false;
  }
  saveVersion(notebook, pair, {
    source: [run.cell.source].flat().join(''),
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
