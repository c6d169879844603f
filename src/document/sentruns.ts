/** The requests of a pair that a provider has read. */
import { readRunInfo, type IdRange } from './metadata';
import type { Pair } from './pair';
import { mayBeBilled } from './usagetotals';

/** A request that was sent. */
export interface ISentRun {
  pair: string;
  runId: string;
  /** Provider and model. */
  model: string;
  /** When it last changed, in milliseconds since 1970. */
  at: number;
  /** The cells that were sent before the pair itself. */
  context: IdRange[];
}

/** The requests of a pair that a provider may have read: of its last run and of its versions. */
export function sentRuns(
  pair: Pick<Pair, 'id' | 'parts' | 'run' | 'versions'>
): ISentRun[] {
  const { id, parts, run, versions } = pair;
  const found: ISentRun[] = [];
  if (run && mayBeBilled(run, parts)) {
    const { runId, model, updatedAt: at, context } = run;
    found.push({ pair: id, runId, model, at, context });
  }
  for (const { at, model, run: kept, runId = '' } of versions) {
    const info = readRunInfo(kept);
    if (info && runId) {
      found.push({ pair: id, runId, model, at, context: info.context });
    }
  }
  return found.filter(({ runId }) => runId !== '');
}

/** The one of these requests that was sent last to a model; null if there is none. */
export function lastSent(
  runs: Iterable<readonly ISentRun[]>,
  model: string
): ISentRun | null {
  let last: ISentRun | null = null;
  for (const some of runs) {
    for (const run of some) {
      if (run.model === model && (!last || run.at >= last.at)) {
        last = run;
      }
    }
  }
  return last;
}
