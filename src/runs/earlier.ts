/** Reads the attempts before a run from the journal. */
import type { IReasoning } from '../document/reasoning';
import type { IUsage } from '../document/usage';
import type { TurnbookAPI } from './api';
import { parseChunk } from './dialect';
import { joined, NOTHING, type IJoined } from '../base/joining';
import { finishedReasoning } from './reasoning';
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

/**
 * What the model thought before a reply that was joined from attempts.
 *
 * An attempt that brought nothing but thoughts has been started over, with others.
 */
export function reasoningOf(
  attempts: readonly IEarlierAttempt[]
): IReasoning[] {
  return attempts.flatMap(({ reply: { calls, reasoning, text } }, n) =>
    text || calls.length || n === attempts.length - 1
      ? (finishedReasoning(reasoning, calls.length > 0, null) ?? [])
      : []
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
