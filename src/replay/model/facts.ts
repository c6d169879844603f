import type { EventName } from '../../base/run';
import { debugName } from '../../request/name';
import type { IReplayEntry } from './entry';
import type { IRecord } from './record';
import type { IBuilt } from './source';

/** The events that report the size of a request. */
const COUNTED = new Set<EventName>(['replay', 'restore', 'start-chatting']);

function counts({ sections, deleted }: IRecord): Record<string, unknown> {
  const byKind: Record<string, number> = {};
  for (const { kind } of sections) {
    byKind[kind] = (byKind[kind] ?? 0) + 1;
  }
  return {
    sections: byKind,
    edited: sections.filter(({ edited }) => edited).length,
    deleted
  };
}

/** What an event of a replay reports to the server. */
export function factsOf(
  name: EventName,
  { key, origin }: IReplayEntry,
  built: IBuilt | null
): Record<string, unknown> {
  const record = built?.replay.record;
  return {
    chat: origin.chatId,
    pair: origin.pair,
    replay_parent_session_id: origin.chatId,
    replay_parent_turn_id: origin.pair,
    debugName: record?.debugName ?? debugName(origin.path, origin.turn),
    ...(record ? { hash: record.hash, version: record.version } : {}),
    ...(record && name !== 'parity-mismatch'
      ? { requestId: record.requestId }
      : {}),
    ...(record && COUNTED.has(name) ? { replay: key, ...counts(record) } : {})
  };
}
