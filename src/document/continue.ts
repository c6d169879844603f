/** Continues a turn in which the model called tools: the results, and what the document shows. */
import type { ISharedCodeCell, ISharedNotebook } from '@jupyter/ydoc';
import type { IOutput } from '@jupyterlab/nbformat';
import { JSONExt } from '@lumino/coreutils';

import type { IMessage } from '../base/message';
import { wellFormedJSON } from '../base/json';
import { readPairText, type ITurnRound } from './messages';
import type { IRunInfo } from './metadata';
import { Pair } from './pair';
import { replyPlaces } from './reply';
import { dropLastVersion, restoreRun } from './resend';
import {
  answersOf,
  callsOf,
  ordered,
  readRound,
  roundOutput,
  type IToolRound
} from './rounds';
import { currentVersion, restoreVersion, saveVersion } from './versions';

/**
 * The results that the user wrote, by the index of the call in its round; an empty one does not
 * count.
 */
export type Results = ReadonlyMap<number, string>;

/**
 * Put the user's results into a round. They are in the order of the calls; results without a call
 * stay after them.
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
 * Write results into one of a pair's rounds; return whether that changed anything.
 *
 * Outputs are outside the undo stack, as always in JupyterLab.
 */
export function writeResults(
  cell: ISharedCodeCell,
  round: number,
  written: Results
): boolean {
  const pair = new Pair(cell);
  const { parts } = pair;
  const { place, output } = changedRound(parts, round, written);
  if (output === null || JSONExt.deepEqual(output, parts[place])) {
    return false;
  }
  pair.replacePart(place, output);
  return true;
}

/**
 * Remove one of a pair's rounds, with everything after it; the previous state is kept as a version.
 */
export function removeRound(
  notebook: ISharedNotebook,
  cell: ISharedCodeCell,
  round: number
): void {
  const pair = new Pair(cell);
  const places = laterPlaces(pair.parts, round - 1);
  saveVersion(notebook, pair);
  notebook.transact(() => pair.changeParts(places), false);
}

/**
 * Show a pair as being sent again, from one of its rounds on, with the current results.
 *
 * What came after that round becomes part of a version. Returns a function that undoes this.
 */
export function beginContinue(
  notebook: ISharedNotebook,
  cell: ISharedCodeCell,
  round: number,
  info: IRunInfo,
  written: Results = new Map()
): () => void {
  const pair = new Pair(cell);
  const later = laterPlaces(pair.parts, round);
  const before = pair.storedRun;
  const version = later.length ? currentVersion(pair) : null;
  if (version) {
    saveVersion(notebook, pair, version);
  }
  notebook.transact(() => {
    pair.distrust();
    pair.changeParts(later);
    pair.setRun(info);
  }, false);
  writeResults(cell, round, written);
  return () => {
    if (version) {
      // Nothing is in progress any more, so the version can be restored.
      pair.setRun({ ...info, state: 'idle' });
      const last = pair.versions.length - 1;
      if (restoreVersion(notebook, pair, last)) {
        dropLastVersion(notebook, pair);
      }
    }
    restoreRun(notebook, pair, before);
  };
}

/**
 * The rounds of a pair up to one of them that are sent, with results as they would be written.
 */
export function roundsUpTo(
  outputs: readonly IOutput[],
  round: number,
  written: Results = new Map()
): readonly ITurnRound[] {
  const end = roundPlaces(outputs)[round] ?? outputs.length - 1;
  const { place, output } = changedRound(outputs, round, written);
  const changed = outputs
    .slice(0, end + 1)
    .map((item, at) => (at === place && output ? output : item));
  return readPairText('', changed).rounds;
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
  const { metadata = {} } = outputs[place];
  const output = roundOutput(withResults(before, written));
  return { place, output: { ...output, metadata } };
}

/** Whether nothing came after one of the rounds. */
export function isLastRound(
  outputs: readonly IOutput[],
  round: number
): boolean {
  return !laterPlaces(outputs, round).length;
}

/** The indices of the rounds among the outputs. */
function roundPlaces(outputs: readonly IOutput[]): number[] {
  return outputs.flatMap((output, place) => (readRound(output) ? [place] : []));
}

/** The indices of what came after a round, last first; reasoning belongs to what followed it. */
function laterPlaces(outputs: readonly IOutput[], round: number): number[] {
  const last = roundPlaces(outputs)[round] ?? -1;
  return replyPlaces(outputs).filter(place => place > last);
}
