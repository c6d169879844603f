/**
 * A request as it is read and edited: sections over messages, and everything else that its
 * body says.
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

/** One message of a request before any edit, and where it comes from. */
export interface IBaseSection extends Readonly<ISource> {
  readonly message: IMessage;
  /** Its exact text, where it was read from bytes. */
  readonly json?: string;
}

/** A request before any edit. */
export interface IRequestBase {
  readonly chatId: string;
  /** The pair that the request is for; the reserved id of the cell while it is being written. */
  readonly pair: string;
  readonly provider: string;
  readonly sections: readonly IBaseSection[];
  /** The body's keys and values in their order; `messages` is null and shows their place. */
  readonly frame: ReadonlyPartialJSONObject;
  /** The exact texts of the frame's values, where the chat keeps them. */
  readonly members?: readonly IMember[];
  /** How many visible pairs did not fit. */
  readonly trimmed: number;
  /** What the pair keeps of the edits with which it was sent; absent if there were none. */
  readonly edited?: IEditMark;
  /** What people call it: the chat's title and the turn. */
  readonly debugName?: string;
  /** Where the base was taken from. */
  readonly source: BaseSource;
  /** The bytes that it was read from; without edits they are sent as they are. */
  readonly raw?: IRawBody;
  /** The hash that the pair's cell keeps of its request; absent where there is none. */
  readonly expected?: string;
}

/** Where a request before any edit was taken from. */
export type BaseSource = 'live' | 'journal' | 'record' | 'reconstructed';

/** A body as it was written: what is not edited in it keeps its bytes. */
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
  /** The message as it stands, also while it is deleted. */
  readonly message: IMessage;
  readonly edited: boolean;
  readonly deleted: boolean;
  readonly added: boolean;
  /** Whether it stands elsewhere than before the edits. */
  readonly moved: boolean;
  /** Why an edit of it is not applied until the user confirms it; null if all is well. */
  readonly conflict: 'hidden' | 'changed' | null;
  /** What it becomes when the user confirms its edit; null if there is nothing to confirm. */
  readonly pending: IMessage | 'delete' | null;
  /** Which rule of Auto-apply edited it; null for an edit of this request alone. */
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
  /** In the order of sending; deleted ones stand where they were. */
  readonly sections: readonly ISection[];
  /** The frame after the edits. */
  readonly frame: ReadonlyPartialJSONObject;
  /** The keys of the frame that were edited. */
  readonly editedOptions: readonly string[];
  /** The keys whose edits are not applied until confirmed, since what they were made on changed. */
  readonly optionConflicts: readonly string[];
  /** The messages that are sent. */
  readonly messages: readonly IMessage[];
  readonly body: string;
  readonly hash: string;
  /** What a provider would refuse; one that is fatal must not be sent. */
  readonly problems: readonly IRequestProblem[];
}

/** Something in a request that is wrong, and where. */
export interface IRequestProblem {
  /** The section; null for the options and for the request as a whole. */
  readonly section: string | null;
  readonly path: LeafPath;
  readonly message: string;
  readonly fatal: boolean;
}

/** How much of a request was changed; what the composer and the events tell. */
export interface IEditCounts {
  sections: number;
  edited: number;
  deleted: number;
  added: number;
  /** Those that stand elsewhere and say the same. */
  moved: number;
  options: number;
  conflicts: number;
}

/** What a version was taken for. */
export type VersionReason = 'send' | 'replay' | 'pause' | 'apply';

/** A state of a draft that can be opened, compared and restored. */
export interface IVersion {
  readonly n: number;
  readonly at: number;
  readonly hash: string;
  readonly body: string;
  /** All that was done with these bytes before there were others. */
  readonly why: readonly VersionReason[];
}

/** The place of a leaf inside a message: `['content']`, `['tool_calls', 0, 'function', 'name']`. */
export type LeafPath = readonly (string | number)[];

/** A value inside a message that can be edited. */
export interface ILeaf {
  readonly path: LeafPath;
  readonly value: PartialJSONValue;
}

export type { PartialJSONObject, PartialJSONValue };
