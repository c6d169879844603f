/**
 * The Session Snapshot: a request as plain JSON that can be changed and applied again.
 */
import type { PartialJSONObject } from '@lumino/coreutils';

import type { IMessage } from '../../base/message';
import type { SectionKind } from '../../base/run';

/** A message and its section; without a section it is new. */
export interface ITurn {
  section?: string;
  kind?: SectionKind;
  message: IMessage;
}

/** The position of a tool call round among the turns. */
export interface IRoundPlace {
  toolCallRound: number;
}

/** Tool calls with their results; `calls` is null for results without a call. */
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
  /** The name of the request; applying a snapshot does not change it. */
  debugName?: string;
}

/** Whether an option is specific to a machine or a secret; snapshots leave these out. */
export function isPruned(key: string): boolean {
  return /(^|[-_])(api[-_]?key|authorization|headers?|base[-_]?url|proxy|secret|password)($|[-_])/i.test(
    key
  );
}
