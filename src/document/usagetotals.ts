/** What several runs took together: of a pair, a chat, a model or a day. */
import type { IOutput } from '@jupyterlab/nbformat';

import { isObject } from '../base/json';
import type { IPrice } from '../base/run';
import { isSettled } from './lifecycle';
import { readRunInfo, type IRunInfo } from './metadata';
import type { Pair } from './pair';
import { outputRunId, outputRuns } from './reply';
import { readRound, roundUsage, type IRoundUsage } from './rounds';
import { attemptsOf, costOf, plus, usageFacts, type IUsage } from './usage';

/** What runs of one model took; null is unknown, which is not 0. */
export interface ITaken {
  /** Provider and model. */
  model: string;
  /** Requests that may have been billed. */
  runs: number;
  /** Those of which the provider did not report the tokens. */
  unknown: number;
  input: number | null;
  /** The part of the input that was read from a cache. */
  cached: number | null;
  output: number | null;
  /** Dollars, if the provider says so itself. */
  cost: number | null;
  /** Those of which it does not say so, if it does of others. */
  uncosted: number;
}

/** The sum of what runs took, with the price. */
export interface ITotal extends Omit<ITaken, 'model' | 'uncosted'> {
  /** Requests whose price is not in `cost`. */
  unpriced: number;
}

/** Finds the price of a model; null if it is unknown. */
type PriceOf = (model: string) => IPrice | null;

/** A total without any run. */
export const NO_TOTAL: ITotal = {
  runs: 0,
  unknown: 0,
  input: null,
  cached: null,
  output: null,
  cost: null,
  unpriced: 0
};

/**
 * What each run of a pair took, by the run's id, as the file says: of its last run, of the tool
 * rounds before it, and of its versions.
 *
 * A version without run metadata is an attempt that is part of a later one's sum.
 */
export function takenBy({
  run,
  parts,
  versions
}: Pick<Pair, 'run' | 'parts' | 'versions'>): Map<string, ITaken> {
  const all = new Map<string, ITaken>();
  const add = (info: IRunInfo | null, outputs: readonly IOutput[]) => {
    if (info && mayBeBilled(info, outputs)) {
      put(all, info.runId, taken(info.model, info.usage));
    }
    for (const [runId, { model, usage }] of earlierRuns(info, outputs)) {
      put(all, runId, taken(model ?? info?.model ?? '', usage));
    }
  };
  add(run, parts);
  for (const { model, reply, run: kept, runId, tools = [] } of versions) {
    const rest = isObject(kept) ? { ...kept, model, runId: runId ?? '' } : null;
    const info = readRunInfo(rest);
    // Its reply is text here and no output.
    const said = info && reply ? [replyOf(info.runId)] : [];
    add(info, [...tools, ...said]);
  }
  return all;
}

/** The runs of a turn before its last one, which called tools, by their ids. */
export function earlierRuns(
  last: Pick<IRunInfo, 'runId'> | null,
  outputs: readonly IOutput[]
): Map<string, IRoundUsage> {
  const runs = new Map<string, IRoundUsage>();
  for (const output of outputs) {
    const runId = outputRunId(output);
    const isEarlier = runId && runId !== last?.runId && !runs.has(runId);
    if (isEarlier && readRound(output)) {
      runs.set(runId, roundUsage(output));
    }
  }
  return runs;
}

/** What each run of a whole chat took; a run that several cells have, such as copies, counts once. */
export function allTaken(
  pairs: Iterable<ReadonlyMap<string, ITaken>>
): ITaken[] {
  const all = new Map<string, ITaken>();
  const unnamed: ITaken[] = [];
  for (const pair of pairs) {
    for (const [runId, one] of pair) {
      if (!runId) {
        unnamed.push(one);
      } else if (!all.has(runId)) {
        all.set(runId, one);
      }
    }
  }
  return [...all.values(), ...unnamed];
}

/** The total of each model, in the order in which they first come. */
export function byModel(
  taken: Iterable<ITaken>,
  priceOf: PriceOf
): Map<string, ITotal> {
  const totals = new Map<string, ITotal>();
  for (const one of taken) {
    const before = totals.get(one.model) ?? NO_TOTAL;
    totals.set(one.model, sum(before, priced(one, priceOf(one.model))));
  }
  return totals;
}

/** The sum of totals. */
export function sumTotals(totals: Iterable<ITotal>): ITotal {
  let all = NO_TOTAL;
  for (const total of totals) {
    all = sum(all, total);
  }
  return all;
}

function priced(taken: ITaken, price: IPrice | null): ITotal {
  const { model, uncosted, ...facts } = taken;
  const cost = costOf({ ...facts, thought: null }, price);
  const unpriced =
    taken.cost !== null ? uncosted : cost !== null ? facts.unknown : facts.runs;
  return { ...facts, cost, unpriced };
}

function sum(a: ITotal, b: ITotal): ITotal {
  return {
    runs: a.runs + b.runs,
    unknown: a.unknown + b.unknown,
    input: plus(a.input, b.input),
    cached: plus(a.cached, b.cached),
    output: plus(a.output, b.output),
    cost: plus(a.cost, b.cost),
    unpriced: a.unpriced + b.unpriced
  };
}

function taken(model: string, usage: IUsage | undefined): ITaken {
  const { attempts, reported } = attemptsOf(usage);
  const { input, cached, output, cost } = usageFacts(usage ?? {});
  const silent = attempts - reported;
  const isCounted = input !== null && output !== null;
  return {
    model,
    runs: attempts,
    unknown: isCounted ? silent : attempts,
    input,
    cached,
    output,
    cost,
    uncosted: silent
  };
}

/** Whether a provider may have accepted a run's request: one that it refused costs nothing. */
export function mayBeBilled(
  info: IRunInfo,
  outputs: readonly IOutput[]
): boolean {
  return (
    isSettled(info.state) &&
    (info.state !== 'error' ||
      info.usage !== undefined ||
      info.error?.code === 'unknown' ||
      outputRuns(outputs).includes(info.runId))
  );
}

function replyOf(runId: string): IOutput {
  return { output_type: 'display_data', metadata: { turnbook: { runId } } };
}

function put(all: Map<string, ITaken>, runId: string, taken: ITaken): void {
  if (!all.has(runId)) {
    all.set(runId, taken);
  }
}
