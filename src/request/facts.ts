/** What events report about a request: ids, counts, hash and version, never its content. */
import type { EventName, IDraftCounts } from '../base/run';
import type { RequestDraft } from './draft';
import { isSent } from './model';

/** What the server learns about a draft when it is sent. */
export function countsForEvents(draft: RequestDraft): IDraftCounts {
  const { sections, editedOptions } = draft.request;
  const kinds: Record<string, number> = {};
  for (const { kind } of sections.filter(isSent)) {
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  const { edited, deleted } = draft.counts;
  const last = draft.versions[draft.versions.length - 1];
  return {
    sections: {
      ...kinds,
      ...(editedOptions.length ? { options: editedOptions.length } : {})
    },
    edited,
    deleted,
    version: last?.n ?? 0,
    ...(draft.base.debugName ? { debugName: draft.base.debugName } : {})
  };
}

/** What an event of the page reports about a draft. */
export function eventFacts(
  name: EventName,
  draft: RequestDraft
): Record<string, unknown> {
  const { base, hash } = draft.request;
  const { version, debugName, ...counts } = countsForEvents(draft);
  return {
    chat: base.chatId,
    pair: base.pair,
    hash,
    version,
    ...(debugName ? { debugName } : {}),
    // A mismatch is about hashes; the counts would add nothing.
    ...(name === 'parity-mismatch' ? {} : counts)
  };
}
