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
import { isAlive, type IRun } from '../base/run';

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
 * An attempt that a later one of the same pair continues, or that is empty, is left out: the later
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
  for (const { pair, attempt } of offered) {
    newest.set(pair, Math.max(attempt, newest.get(pair) ?? 0));
  }
  return offered
    .filter(
      run =>
        run.attempt === newest.get(run.pair) ||
        (!continued.has(run.id) && hasChunks(run))
    )
    .sort((a, b) => b.createdAt - a.createdAt || b.attempt - a.attempt);
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
