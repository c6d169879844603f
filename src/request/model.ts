/**
 * A request as it is read and edited: a section for each message, and everything else in its body.
 */
import type {
  PartialJSONObject,
  PartialJSONValue,
  ReadonlyPartialJSONObject
} from '@lumino/coreutils';

import type { IMessage } from '../base/message';
import type { SectionKind } from '../base/run';
import type { ISource } from '../context/gather';
import type { IEditMark } from '../document/metadata';

/** One message of a request before edits, and where it comes from. */
export interface IBaseSection extends Readonly<ISource> {
  readonly message: IMessage;
  /** Its exact text, if it was read from bytes. */
  readonly json?: string;
}

/** A request before edits. */
export interface IRequestBase {
  readonly chatId: string;
  /** The pair that the request is for; the reserved cell id while the message is being written. */
  readonly pair: string;
  readonly provider: string;
  readonly sections: readonly IBaseSection[];
  /** The body's keys and values in order; `messages` is null and marks their position. */
  readonly frame: ReadonlyPartialJSONObject;
  /** The exact texts of the frame's values, if the chat keeps them. */
  readonly members?: readonly IMember[];
  /** How many visible pairs did not fit. */
  readonly trimmed: number;
  /** The mark that edits left on the pair when it was sent; absent if there were none. */
  readonly edited?: IEditMark;
  /** The name of the request: the chat's title and the turn. */
  readonly debugName?: string;
  /** Where the base comes from. */
  readonly source: BaseSource;
  /** The bytes that it was read from; without edits they are sent unchanged. */
  readonly raw?: IRawBody;
  /** The request hash stored in the pair's cell; absent if there is none. */
  readonly expected?: string;
}

/** Where a request before edits comes from. */
export type BaseSource = 'live' | 'journal' | 'record' | 'reconstructed';

/** A body as it was written: parts that are not edited keep their bytes. */
export interface IRawBody {
  readonly body: string;
  readonly members: readonly IMember[];
}

/** A key of a body and its value's exact text. */
export interface IMember {
  readonly key: string;
  readonly json: string;
}

/** A section after the edits. */
export interface ISection {
  readonly id: string;
  readonly kind: SectionKind;
  readonly cell: string | null;
  /** The message before the edits; null for a section that was added. */
  readonly original: IMessage | null;
  /** The current message, even while the section is deleted. */
  readonly message: IMessage;
  readonly edited: boolean;
  readonly deleted: boolean;
  readonly added: boolean;
  /** Whether edits moved it. */
  readonly moved: boolean;
  /** Why its edit waits to be confirmed; null if there is no conflict. */
  readonly conflict: 'hidden' | 'changed' | null;
  /** What it becomes if the user confirms its edit; null if there is nothing to confirm. */
  readonly pending: IMessage | 'delete' | null;
  /** The Auto-apply rule that edited it; null for an edit of this request alone. */
  readonly origin: string | null;
}

/** Whether a section's message is in the body. */
export function isSent(
  section: Pick<ISection, 'deleted' | 'conflict'>
): boolean {
  return !section.deleted && section.conflict !== 'hidden';
}

/** A request after the edits, with its bytes. */
export interface IEditedRequest {
  readonly base: IRequestBase;
  /** In the order of sending; deleted ones keep their position. */
  readonly sections: readonly ISection[];
  /** The frame after the edits. */
  readonly frame: ReadonlyPartialJSONObject;
  /** The keys of the frame that were edited. */
  readonly editedOptions: readonly string[];
  /** The keys whose edits wait to be confirmed, since their source changed. */
  readonly optionConflicts: readonly string[];
  /** The messages that are sent. */
  readonly messages: readonly IMessage[];
  readonly body: string;
  readonly hash: string;
  /** What a provider would reject; a request with a fatal problem must not be sent. */
  readonly problems: readonly IRequestProblem[];
}

/** A problem in a request, and where it is. */
export interface IRequestProblem {
  /** The section; null for the options or the whole request. */
  readonly section: string | null;
  readonly path: LeafPath;
  readonly message: string;
  readonly fatal: boolean;
}

/** How much of a request was changed, as reported by the composer and in events. */
export interface IEditCounts {
  sections: number;
  edited: number;
  deleted: number;
  added: number;
  /** Sections that were moved but not edited. */
  moved: number;
  options: number;
  conflicts: number;
}

/** Why a version was saved. */
export type VersionReason = 'send' | 'replay' | 'pause' | 'apply';

/** A state of a draft that can be opened, compared and restored. */
export interface IVersion {
  readonly n: number;
  readonly at: number;
  readonly hash: string;
  readonly body: string;
  /** Everything that was done with these bytes. */
  readonly why: readonly VersionReason[];
}

/** The path of a leaf inside a message: `['content']`, `['tool_calls', 0, 'function', 'name']`. */
export type LeafPath = readonly (string | number)[];

/** A value inside a message that can be edited. */
export interface ILeaf {
  readonly path: LeafPath;
  readonly value: PartialJSONValue;
}

export type { PartialJSONObject, PartialJSONValue };
