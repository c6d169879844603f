import type { EventName } from '../base/run';
import type { RequestDraft } from '../request/draft';
import { eventFacts } from '../request/facts';
import type { TurnbookAPI } from '../runs/api';

/**
 * Report what happened to a request to the server's event listeners: counts and hashes, no content.
 */
export function tell(
  api: Pick<TurnbookAPI, 'emitEvent'>,
  name: EventName,
  draft: RequestDraft,
  more: Record<string, unknown> = {}
): void {
  const facts = eventFacts(name, draft);
  const chat = facts.chat || 'unsaved';
  api.emitEvent(name, { ...facts, chat, ...more }).catch(error => {
    console.warn(`Turnbook: the event ${name} was not taken`, error);
  });
}
