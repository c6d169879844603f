/**
 * Going on with a turn whose model called tools: their results, and what the document shows of it.
 */
import type { ISharedCodeCell, ISharedNotebook } from '@jupyter/ydoc';
import type { IOutput } from '@jupyterlab/nbformat';
import { JSONExt, type PartialJSONObject } from '@lumino/coreutils';

import type { IMessage } from '../base/message';
import { wellFormedJSON } from '../base/json';
import { KEYS, type IRunInfo } from './metadata';
import { isPartial, isTool, outputRunId, replyPlaces } from './reply';
import { dropLastVersion, restoreInfo } from './resend';
import {
  answersOf,
  callsOf,
  ordered,
  readRound,
  roundOutput,
  type IToolRound
} from './rounds';
import {
  currentVersion,
  restoreVersion,
  saveVersion,
  versionsOf
} from './versions';

/** The results that the user wrote, by the place of the call in its round; an empty one is none. */
export type Results = ReadonlyMap<number, string>;

/**
 * A round with results of the user's. They stand in the order of the calls; results that belong
 * to no call stay behind them.
 */
export function withResults(round: IToolRound, written: Results): IToolRound {
  const { answers, rest } = answersOf(round);
  const results = callsOf(round).flatMap(({ id }, place): IMessage[] => {
    const before = answers[place];
    const content = written.get(place);
    if (content === undefined) {
      return before ? [before] : [];
    }
    const result = { ...before, role: 'tool', tool_call_id: id, content };
    return content === '' ? [] : [ordered(wellFormedJSON(result))];
  });
  return { message: round.message, results: [...results, ...rest] };
}

/**
 * Write results into one of a pair's rounds; answers whether that changed anything.
 *
 * Outputs are outside the undo stack, as JupyterLab has it.
 */
export function writeResults(
  cell: ISharedCodeCell,
  round: number,
  written: Results
): boolean {
  const outputs = cell.getOutputs();
  const { place, output } = changedRound(outputs, round, written);
  if (output === null || JSONExt.deepEqual(output, outputs[place])) {
    return false;
  }
  // JupyterLab puts an output that comes from elsewhere last, wherever it was put: so do all behind it.
  const rest = outputs.slice(place + 1);
  cell.updateOutputs(place, outputs.length, [output, ...rest]);
  return true;
}

/** Take one of a pair's rounds away, with all that came after it; what was is kept as a version. */
export function removeRound(
  notebook: ISharedNotebook,
  cell: ISharedCodeCell,
  round: number
): void {
  const places = laterPlaces(cell.getOutputs(), round - 1);
  saveVersion(notebook, cell);
  notebook.transact(() => {
    places.forEach(place => cell.updateOutputs(place, place + 1, []));
  }, false);
}

/**
 * Show a pair as on its way again, from one of its rounds on, with the results as they are there.
 *
 * What came after that round becomes part of a version. Answers how to take that back.
 */
export function beginContinue(
  notebook: ISharedNotebook,
  cell: ISharedCodeCell,
  round: number,
  info: IRunInfo,
  written: Results = new Map()
): () => void {
  const later = laterPlaces(cell.getOutputs(), round);
  const before = cell.getMetadata(KEYS.run) as PartialJSONObject | undefined;
  const version = later.length ? currentVersion(cell) : null;
  const next = info as unknown as PartialJSONObject;
  if (version) {
    saveVersion(notebook, cell, version);
  }
  notebook.transact(() => {
    cell.deleteMetadata('trusted');
    later.forEach(place => cell.updateOutputs(place, place + 1, []));
    cell.setMetadata(KEYS.run, next);
  }, false);
  writeResults(cell, round, written);
  return () => {
    if (version) {
      // Nothing of it is under way any more, so that the version may come back.
      cell.setMetadata(KEYS.run, { ...next, state: 'idle' });
      const last = versionsOf(cell).length - 1;
      if (restoreVersion(notebook, cell, last)) {
        dropLastVersion(notebook, cell);
      }
    }
    restoreInfo(notebook, cell, before);
  };
}

/** The rounds of a pair up to one of them, with results as they would be written there. */
export function roundsUpTo(
  outputs: readonly IOutput[],
  round: number,
  written: Results = new Map()
): IToolRound[] {
  const rounds = outputs.flatMap(output => readRound(output) ?? []);
  return rounds
    .slice(0, round + 1)
    .map((item, place) =>
      place === round ? withResults(item, written) : item
    );
}

function changedRound(
  outputs: readonly IOutput[],
  round: number,
  written: Results
): { place: number; output: IOutput | null } {
  const place = roundPlaces(outputs)[round] ?? -1;
  const before = outputs[place] ? readRound(outputs[place]) : null;
  if (!before) {
    return { place, output: null };
  }
  const runId = outputRunId(outputs[place]);
  const origin =
    runId === null ? null : { runId, partial: isPartial(outputs[place]) };
  return { place, output: roundOutput(withResults(before, written), origin) };
}

/** Where the rounds are among the outputs. */
function roundPlaces(outputs: readonly IOutput[]): number[] {
  return outputs.flatMap((output, place) => (readRound(output) ? [place] : []));
}

/** Where what came after a round is, last first. */
function laterPlaces(outputs: readonly IOutput[], round: number): number[] {
  const rounds = roundPlaces(outputs);
  const later = new Set(rounds.slice(round + 1));
  return replyPlaces(outputs).filter(
    place => later.has(place) || !isTool(outputs[place])
  );
}
