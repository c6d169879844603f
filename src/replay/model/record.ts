/**
 * A replay as it is stored and exported: the exact payload, its proof, and what is needed to
 * display it.
 */
import type { PartialJSONObject } from '@lumino/coreutils';

import { trans } from '../../base/words';
import type { IMessage } from '../../base/message';
import type { SectionKind } from '../../base/run';
import { editCount, type IEditMark } from '../../document/metadata';
import type { ISiblingMark } from '../../document/siblingmark';
import { bodyHash } from '../../request/render';
import {
  isSent,
  type IEditedRequest,
  type ISection
} from '../../request/model';
import { canonical } from '../../base/canonical';
import type { ReferenceKind } from '../../document/references';
import { recordReferences, type Attached } from './recordreferences';

/** What a record says about one message of its payload. */
export interface IRecordSection {
  readonly kind: SectionKind;
  readonly edited?: true;
  readonly added?: true;
}

/** What was left out of a request because it did not fit. */
export interface ITrimmed {
  /** The number of visible pairs left out. */
  readonly pairs: number;
  /** The estimated tokens in the payload. */
  readonly tokens: number;
}

/** A response in a record. Times are milliseconds since the request left. */
export interface IRecordResponse {
  readonly status: number;
  /** When the request left, in milliseconds since 1970. */
  readonly sentAt: number;
  readonly answered: number;
  readonly ended: number;
  /** The bytes of the body. */
  readonly size: number;
  /** Their SHA-256. */
  readonly hash: string;
  /** How `body` stores them; as UTF-8 if absent. */
  readonly encoding?: 'base64';
  readonly body: string;
}

/** A reference in a record: where its frozen text or image is in the payload, and its source. */
export interface IRecordReference extends Partial<Readonly<ISiblingMark>> {
  /** The position of its message in the payload. */
  readonly message: number;
  /** Its position among what is attached to that message. */
  readonly part: number;
  /** The SHA-256 of the text as it is sent, or of the image. */
  readonly sha256: string;
  readonly kind: ReferenceKind;
  readonly name: string;
  readonly path?: string;
  readonly cellId?: string;
  readonly at?: number;
  readonly language?: string;
}

/**
 * A replay's record, as stored in `turnbook.record` of an exported notebook.
 *
 * It never contains what the user edited out or deleted.
 */
export interface IRecord {
  /** The exact body. */
  readonly payload: string;
  /** The SHA-256 of the payload's bytes. */
  readonly hash: string;
  readonly version: number;
  /** The run that the payload belongs to; the pair's id if it was never sent. */
  readonly requestId: string;
  /** The name of the request: the chat's title and the turn. */
  readonly debugName?: string;
  /** The hash of the request that was logged for the turn, if any. */
  readonly loggedHash?: string;
  /** When the replay was built, in milliseconds since 1970. */
  readonly at: number;
  readonly provider: string;
  /** One for each message of the payload, in order. */
  readonly sections: readonly IRecordSection[];
  /** The number of deleted sections. */
  readonly deleted: number;
  readonly trimmed?: ITrimmed;
  /** The references that the payload carries unchanged; absent if there are none. */
  readonly references?: readonly IRecordReference[];
  /** What came back for the payload, if the user wanted it in the record. */
  readonly response?: IRecordResponse;
  /** Binds record and lineage together: the SHA-256 of both in canonical JSON. */
  readonly digest: string;
}

/** Where a replay comes from. */
export interface IReplayLineage {
  readonly replay_parent_session_id: string;
  readonly replay_parent_turn_id: string;
  readonly payloadHash: string;
  readonly version: number;
  readonly requestId: string;
  readonly at: number;
  /** In a fork: whether the replayed cells are protected from editing and deletion. */
  readonly locked?: boolean;
}

/** A record with its lineage; everything else can be derived from the two. */
export interface IReplay {
  readonly record: IRecord;
  readonly lineage: IReplayLineage;
}

/** What a build needs besides the request. */
export interface IBuildFacts {
  readonly version: number;
  readonly requestId: string;
  readonly loggedHash: string | null;
  /** What the turn recorded as not fitting when it was sent. */
  readonly trimmed?: ITrimmed;
  /** What is attached to the chat's messages; without it, sources are not known. */
  readonly attached?: Attached;
  readonly at: number;
  /** Estimates the tokens of a text. */
  readonly count: (text: string) => number;
}

/** Thrown when a request has no content to replay. */
export class NothingToReplay extends Error {
  constructor(
    /** Whether everything was deleted; otherwise there was nothing to begin with. */
    readonly isDeleted: boolean
  ) {
    super(trans.__('There is nothing to replay.'));
    this.name = 'NothingToReplay';
  }
}

/** The sections whose messages are in the body, in order. */
export function sentSections(request: IEditedRequest): ISection[] {
  const sent = request.sections.filter(isSent);
  if (sent.length !== request.messages.length) {
    throw new Error(
      trans.__(
        'It has %1 messages and %2 sections.',
        request.messages.length,
        sent.length
      )
    );
  }
  return sent;
}

/** Build the replay of a request; throws `NothingToReplay` if all its messages are empty. */
export function buildReplay(
  request: IEditedRequest,
  facts: IBuildFacts
): IReplay {
  const { version, requestId, loggedHash, at, count } = facts;
  const sent = sentSections(request);
  if (!sent.some(({ message }) => saysAnything(message))) {
    throw new NothingToReplay(request.sections.some(({ deleted }) => deleted));
  }
  const { base, body } = request;
  const hash = bodyHash(body);
  const lineage: IReplayLineage = {
    replay_parent_session_id: base.chatId,
    replay_parent_turn_id: base.pair,
    payloadHash: hash,
    version,
    requestId,
    at
  };
  const references = recordReferences(sent, facts.attached ?? (() => []));
  const record = {
    payload: body,
    hash,
    version,
    requestId,
    ...(base.debugName ? { debugName: base.debugName } : {}),
    ...(loggedHash ? { loggedHash } : {}),
    at,
    provider: base.provider,
    sections: sent.map(({ kind, edited, added }) => ({
      kind,
      ...(edited ? { edited: true as const } : {}),
      ...(added ? { added: true as const } : {})
    })),
    deleted: request.sections.filter(section => section.deleted).length,
    ...(facts.trimmed
      ? { trimmed: facts.trimmed }
      : base.trimmed > 0
        ? { trimmed: { pairs: base.trimmed, tokens: Math.round(count(body)) } }
        : {}),
    ...(references.length ? { references } : {})
  };
  return { record: { ...record, digest: digest(record, lineage) }, lineage };
}

/** What is known about a sent turn. */
export interface ISentFacts {
  /** The run's id. */
  readonly requestId: string;
  /** The hash of the bytes that were logged for it. */
  readonly loggedHash: string;
}

/** Add what a turn was sent with to a replay; return the same object if nothing is new. */
export function withSent(
  replay: IReplay,
  { requestId, loggedHash }: ISentFacts
): IReplay {
  const { record, lineage } = replay;
  if (record.requestId === requestId && record.loggedHash === loggedHash) {
    return replay;
  }
  const bound = { ...record, requestId, loggedHash };
  const origin = { ...lineage, requestId };
  return {
    record: { ...bound, digest: digest(bound, origin) },
    lineage: origin
  };
}

/** Whether a message has more than a role and an empty text. */
export function saysAnything(message: IMessage): boolean {
  const { role: _, content, ...rest } = message;
  return (
    Object.keys(rest).length > 0 ||
    (typeof content === 'string'
      ? content.trim() !== ''
      : content != null && !(Array.isArray(content) && !content.length))
  );
}

/** The digest that binds a record to its lineage; `locked` is up to the user and not included. */
export function digest(
  record: Omit<IRecord, 'digest'> | IRecord,
  lineage: IReplayLineage
): string {
  const { digest: _, ...bound } = record as IRecord;
  const { locked: __, ...origin } = lineage;
  return bodyHash(
    canonical({
      lineage: origin,
      record: bound
    } as unknown as PartialJSONObject)
  );
}

/** Whether the payload differs from what was logged for its turn. */
export function differsFromLogged({ hash, loggedHash }: IRecord): boolean {
  return loggedHash !== undefined && loggedHash !== hash;
}

/** Whether the turn was sent with exactly this payload. */
export function isSentAsReplayed({ hash, loggedHash }: IRecord): boolean {
  return loggedHash === hash;
}

/** The end of the chat's id, or of the hash while the chat has no id; shown in a replay's badge. */
export function sessionTail({ record, lineage }: IReplay): string {
  return (lineage.replay_parent_session_id || record.hash).slice(-4);
}

/** The end of a replay's hash, used in its file name. */
export function hashTail({ hash }: Pick<IRecord, 'hash'>): string {
  return hash.slice(-4);
}

/** What a pair that is sent from a record stores about how its request was made. */
export function recordMarks(
  record: Pick<IRecord, 'sections' | 'deleted' | 'trimmed'>
): { edited?: IEditMark; trimmed?: ITrimmed } {
  const { sections, deleted, trimmed } = record;
  const edited = {
    sections: sections.filter(section => section.edited).length,
    deleted,
    added: sections.filter(section => section.added).length,
    options: 0
  };
  return {
    ...(editCount(edited) ? { edited } : {}),
    ...(trimmed ? { trimmed } : {})
  };
}

/** Build after giving the page a chance to update. */
export async function buildSoon(
  request: Parameters<typeof buildReplay>[0],
  facts: IBuildFacts
): Promise<IReplay> {
  return buildReplay(request, facts);
}
