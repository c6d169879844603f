/** Replies that are in the journal but not in the notebook. */
import { errorMessage } from '../base/errors';
import type { ILanding } from '../document/landedoutputs';
import { sumUsage } from '../document/usage';
import type { TurnbookAPI } from '../runs/api';
import { hasChunks } from '../runs/attempts';
import {
  joinAll,
  readChain,
  reasoningOf,
  type IEarlierAttempt
} from '../runs/earlier';
import { finishedCalls } from '../runs/toolcalls';
import { isAlive, turnKey, type IRun } from '../base/run';

/** A recoverable run, with what it and the runs it continues brought. */
export interface IRecoveredRun extends Omit<ILanding, 'abandoned' | 'seams'> {
  /** Another chat whose file is gone: what it was called, and where it was. */
  from?: { title: string; path: string };
  /** Why the text could not be read; it is not lost. */
  problem?: string;
}

/**
 * The runs to offer, newest first: those whose pair was deleted, and those that ended and whose
 * pair is not in the document.
 *
 * An attempt that a later one of the same reply continues, or that is empty, is left out: the later
 * one has everything.
 */
export function recoverable(
  runs: readonly IRun[],
  presentPairs: ReadonlySet<string>
): IRun[] {
  const offered = runs.filter(
    run => run.dropped || (!isAlive(run) && !presentPairs.has(run.pair))
  );
  const continued = new Set(offered.map(run => run.continues));
  const newest = new Map<string, number>();
  for (const run of offered) {
    const turn = turnKey(run);
    newest.set(turn, Math.max(run.attempt, newest.get(turn) ?? 0));
  }
  return offered
    .filter(
      run =>
        run.attempt === newest.get(turnKey(run)) ||
        (!continued.has(run.id) && hasChunks(run))
    )
    .sort((a, b) => b.createdAt - a.createdAt || b.attempt - a.attempt);
}

/**
 * The attempts at the replies that were asked for together with a run's, and at the first one if
 * that was asked for alone before them.
 *
 * @param runs - All attempts at the pair.
 */
export function groupRuns(runs: readonly IRun[], run: IRun): IRun[] {
  const own = runs.filter(({ group }) => group === run.group);
  const hasFirst = own.some(({ sibling = 0 }) => sibling === 0);
  const first = hasFirst ? [] : runs.filter(({ group }) => group === undefined);
  return run.group === undefined ? [run] : [...own, ...first];
}

/**
 * The runs to restore together: one, and the last attempt at each other reply of its group that is
 * missing too.
 */
export function restoredWith(
  group: readonly IRun[],
  run: IRun,
  isPresent: boolean
): IRun[] {
  const last = new Map<string, IRun>();
  for (const other of group) {
    const known = last.get(turnKey(other));
    if (!known || known.attempt < other.attempt) {
      last.set(turnKey(other), other);
    }
  }
  last.delete(turnKey(run));
  const others = [...last.values()].filter(
    ({ dropped }) => dropped || !isPresent
  );
  return [run, ...others];
}

function broughtBy(
  chain: readonly IEarlierAttempt[]
): Omit<IRecoveredRun, 'run'> {
  const replies = chain.map(({ reply }) => reply);
  const last = chain[chain.length - 1];
  const calls = finishedCalls(last.reply.calls, last.run.id);
  const images = [...new Set(replies.flatMap(reply => reply.images))];
  const usage = sumUsage(replies.map(reply => reply.usage));
  return {
    text: joinAll(chain).text,
    reasoning: reasoningOf(chain),
    ...(calls.length ? { calls } : {}),
    ...(images.length ? { images } : {}),
    ...(usage ? { usage } : {})
  };
}

/** Read the replies of runs from the journal. */
export function loadReplies(
  api: Pick<TurnbookAPI, 'getRun'>,
  runs: readonly IRun[]
): Promise<IRecoveredRun[]> {
  return Promise.all(
    runs.map(async run => {
      try {
        return { run, ...broughtBy(await readChain(api, run.id)) };
      } catch (error) {
        const problem = errorMessage(error);
        return { run, text: '', problem };
      }
    })
  );
}
