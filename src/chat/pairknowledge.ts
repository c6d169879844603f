/** What a page knows about a pair beyond the document. */
import type { ChatSession } from '../session/session';
import type { IChatSettings } from '../session/settings';
import type { IPairFacts } from './cells/pairfacts';

/** The facts about a pair. */
export function factsOf(
  id: string,
  session: ChatSession,
  settings: IChatSettings,
  locked: boolean
): Partial<IPairFacts> {
  return {
    journal: session.journal(id),
    sentinel: settings.interruptedSentinel,
    opensReasoning: settings['reasoning.show'] === 'open',
    priceOf: session.prices.of,
    isNew: session.news.has(id),
    isPosting: session.posting === id,
    locked,
    turnOf: sibling => ({
      live: session.live(id, sibling),
      journal: session.journal(id, sibling)
    })
  };
}
