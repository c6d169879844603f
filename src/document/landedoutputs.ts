/** What a run brings into the outputs of its pair. */
import type { IDisplayData, IOutput } from '@jupyterlab/nbformat';
import { JSONExt, type PartialJSONObject } from '@lumino/coreutils';

import type { ISeam } from '../base/joining';
import type { IRun } from '../base/run';
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
import { withSent } from './sentmark';
import type { IUsage } from './usage';

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

/**
 * What must be removed from and added to a cell's outputs, last index first.
 *
 * Outputs that are already right stay in place and are never rewritten: two browsers that clean up
 * the same duplicates then delete the same ones and agree. The tool rounds of earlier runs are part
 * of the turn, with the reasoning before them, unless they were interrupted.
 */
export function outputChanges(
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

/** The outputs for what a run produced, in order. */
export function landedOutputs({
  run,
  text,
  calls = [],
  images = [],
  reasoning = [],
  usage
}: ILanding): IDisplayData[] {
  const origin = { runId: run.id, partial: run.state !== 'done' };
  const steps = reasoning.map(thought => reasoningOutput(thought, origin));
  const pictures = images.map(url => replyImageOutput(url, origin));
  if (calls.length) {
    const message = {
      role: 'assistant',
      content: text || null,
      tool_calls: [...calls]
    };
    const model = `${run.provider}/${run.model}`;
    return [
      ...steps,
      ...pictures,
      roundOutput({ message, results: [] }, { ...origin, model, usage })
    ];
  }
  return [
    ...steps,
    ...(text ? [replyOutput({ text, ...origin })] : []),
    ...pictures
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
export function isEditedReply(output: IOutput, runId: string | null): boolean {
  return (
    isEdited(output) &&
    outputRunId(output) === runId &&
    readReply([output]) !== null
  );
}

/** Whether two thoughts say the same. */
export function sameThought(a: IReasoning | null, b: IReasoning): boolean {
  return (
    a?.field === b.field && JSON.stringify(a.value) === JSON.stringify(b.value)
  );
}
