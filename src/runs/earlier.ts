/**
 * What the attempts before a run brought, as the journal has it.
 */
import type { IUsage } from '../document/metadata';
import type { TurnbookAPI } from './api';
import { parseChunk } from './dialect';
import { joined, NOTHING, type IJoined } from '../base/joining';
import { addChunk, EMPTY_REPLY, type IReplyState } from './reply';
import type { IRun } from '../base/run';

/** An attempt and what its chunks add up to. */
export interface IEarlierAttempt {
  run: IRun;
  reply: IReplyState;
}

/** What came before a run. */
export interface IEarlier {
  /** The attempts that it goes on from, first to last. */
  chain: readonly IEarlierAttempt[];
  /** The reply that it goes on from. */
  before: IJoined;
  /** The partial reply that it begins again. */
  replaced: string;
  /** What the provider counted for each attempt at this reply; null where it told nothing. */
  usages: readonly (IUsage | null)[];
}

/** Nothing came before. */
export const NO_EARLIER: IEarlier = {
  chain: [],
  before: NOTHING,
  replaced: '',
  usages: []
};

/** Read what came before a run. Rejects if what it goes on from cannot be read. */
export async function readEarlier(
  api: Pick<TurnbookAPI, 'getRun'>,
  run: IRun
): Promise<IEarlier> {
  const chain = await readChain(api, run.continues);
  const first = chain[0]?.run ?? run;
  const usages = chain.map(({ reply }) => reply.usage);
  let replaced = '';
  try {
    for (let at = first; at.replaces !== null;) {
      const replacedChain = await readChain(api, at.replaces);
      usages.unshift(...replacedChain.map(({ reply }) => reply.usage));
      if (at === first) {
        replaced = joinAll(replacedChain).text;
      }
      at = replacedChain[0].run;
    }
  } catch (error) {
    // The reply itself needs none of them.
    console.warn('Turnbook: an earlier attempt cannot be read', error);
    usages.unshift(null);
  }
  return { chain, before: joinAll(chain), replaced, usages };
}

/** The reply that attempts make which went on from each other. */
export function joinAll(attempts: readonly IEarlierAttempt[]): IJoined {
  return attempts.reduce(
    (reply: IJoined, { run, reply: { text } }) =>
      joined(reply, {
        text,
        goesOn: run.goesOn,
        whole: run.state === 'done'
      }),
    NOTHING
  );
}

/** A run with those that it continues, first to last. */
export async function readChain(
  api: Pick<TurnbookAPI, 'getRun'>,
  id: string | null
): Promise<IEarlierAttempt[]> {
  const chain: IEarlierAttempt[] = [];
  for (let next = id; next !== null;) {
    const { run, events } = await api.getRun(next);
    let reply = EMPTY_REPLY;
    for (const { data } of events) {
      if (data !== undefined) {
        reply = addChunk(reply, parseChunk(data));
      }
    }
    chain.unshift({ run, reply });
    next = run.continues;
  }
  return chain;
}

/**
 * What a reply cost: the sum over its attempts, and of how many.
 *
 * Undefined if the provider counted nothing.
 */
export function sumUsage(
  usages: readonly (IUsage | null)[]
): IUsage | undefined {
  const counted = usages.filter(usage => usage !== null);
  if (!counted.length) {
    return undefined;
  }
  const sum: IUsage = {};
  for (const key of [
    'prompt_tokens',
    'completion_tokens',
    'total_tokens'
  ] as const) {
    const counts = counted.flatMap(usage => usage[key] ?? []);
    if (counts.length) {
      sum[key] = counts.reduce((a, b) => a + b, 0);
    }
  }
  const unreported = usages.length - counted.length;
  return {
    ...sum,
    ...(usages.length > 1 ? { attempts: usages.length } : {}),
    ...(unreported ? { unreported } : {})
  };
}
