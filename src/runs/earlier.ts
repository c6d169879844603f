/** Reads the attempts before a run from the journal. */
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

/** The attempts before a run. */
export interface IEarlier {
  /** The attempts that it continues, first to last. */
  chain: readonly IEarlierAttempt[];
  /** The reply that it continues. */
  before: IJoined;
  /** The partial reply that it starts over. */
  replaced: string;
  /** The token counts of each attempt at this reply; null where the provider reported none. */
  usages: readonly (IUsage | null)[];
}

/** A run without earlier attempts. */
export const NO_EARLIER: IEarlier = {
  chain: [],
  before: NOTHING,
  replaced: '',
  usages: []
};

/** Read the attempts before a run. Rejects if the ones it continues cannot be read. */
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
    // The reply itself does not need them.
    console.warn('Turnbook: an earlier attempt cannot be read', error);
    usages.unshift(null);
  }
  return { chain, before: joinAll(chain), replaced, usages };
}

/** The reply joined from attempts that continue each other. */
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

/** A run and those that it continues, first to last. */
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
 * The token usage of a reply: the sum over its attempts, and how many there were.
 *
 * Undefined if the provider reported none.
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
