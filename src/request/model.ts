/**
 * A request as it is read and edited: sections over messages, and everything else that its
 * body says.
 */
import type {
  PartialJSONObject,
  PartialJSONValue,
  ReadonlyPartialJSONObject
} from '@lumino/coreutils';

import type { IMessage, ISource, SectionKind } from '../context/gather';

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
  /** How many visible pairs did not fit. */
  readonly trimmed: number;
  /** Where the base was taken from. */
  readonly source: 'live' | 'journal' | 'record' | 'reconstructed';
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
  /** Why an edit of it is not applied until the user confirms it; null if all is well. */
  readonly conflict: 'hidden' | 'changed' | null;
  /** Which rule of Auto-apply edited it; null for an edit of this request alone. */
  readonly origin: string | null;
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
  /** The messages that are sent. */
  readonly messages: readonly IMessage[];
  readonly body: string;
  readonly hash: string;
}

/** How much of a request was changed; what the composer and the events tell. */
export interface IEditCounts {
  sections: number;
  edited: number;
  deleted: number;
  added: number;
  options: number;
  conflicts: number;
}

/** A state of a draft that can be opened, compared and restored. */
export interface IVersion {
  readonly n: number;
  readonly at: number;
  readonly hash: string;
  readonly body: string;
  readonly why: 'send' | 'replay' | 'pause' | 'apply' | 'restore';
  /** Ids of the sections and keys of the options that differ from the version before. */
  readonly changed: readonly string[];
}

/** The place of a leaf inside a message: `['content']`, `['tool_calls', 0, 'function', 'name']`. */
export type LeafPath = readonly (string | number)[];

/** A value inside a message that can be edited. */
export interface ILeaf {
  readonly path: LeafPath;
  readonly value: PartialJSONValue;
}

export type { PartialJSONObject, PartialJSONValue, SectionKind };
