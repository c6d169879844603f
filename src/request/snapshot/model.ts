/**
 * The Session Snapshot: a request as plain JSON that can be changed and applied again.
 */
import type { PartialJSONObject } from '@lumino/coreutils';

import type { IMessage } from '../../base/message';
import type { SectionKind } from '../../base/run';

/** A message and the section that it is; one without a section is new. */
export interface ITurn {
  section?: string;
  kind?: SectionKind;
  message: IMessage;
}

/** The place of a tool call round among the turns. */
export interface IRoundPlace {
  toolCallRound: number;
}

/** Calls of tools with their results; no calls for results that nobody asked for. */
export interface IRound {
  calls: ITurn | null;
  results: ITurn[];
}

/** A request as plain JSON. */
export interface ISnapshot {
  turns: (ITurn | IRoundPlace)[];
  toolCallRounds: IRound[];
  requestOptions: PartialJSONObject;
  endpoint: { provider: string; model: string };
  /** What people call the request; applying a snapshot does not change it. */
  debugName?: string;
}

/** Whether an option belongs to a machine or is a secret, so that no snapshot has it. */
export function isPruned(key: string): boolean {
  return /(^|[-_])(api[-_]?key|authorization|headers?|base[-_]?url|proxy|secret|password)($|[-_])/i.test(
    key
  );
}
