/**
 * What a replay is made from.
 */
import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';

import type { IMessage } from '../../base/message';
import type { IEditedRequest } from '../../request/model';
import type { IBuildFacts, IReplay, ISentFacts } from './record';

/** The turn that a replay belongs to; this outlives the source. */
export interface IReplayOrigin {
  readonly chatId: string;
  readonly pair: string;
  /** The chat's name. */
  readonly name: string;
  /** The chat's file. */
  readonly path: string;
  /** The number of the turn, from 1. */
  readonly turn: number;
}

/** A request that can be replayed, in its current state. */
export interface IReplaySource {
  readonly origin: IReplayOrigin;
  /** The request with its current edits. */
  request(): IEditedRequest;
  /** Save a version of it; returns its number, and what is known about its run. */
  version(): Pick<
    IBuildFacts,
    'version' | 'requestId' | 'loggedHash' | 'trimmed' | 'attached'
  >;
  /** Emitted when the request changes, while it is watched. */
  readonly changed: ISignal<unknown, unknown>;
  /** Keep the request up to date until the result is disposed. */
  watch(): IDisposable;
}

/** The turns of open chats. */
export interface ITurns {
  /** The hash of a turn's current request; null if unknown. */
  hash(origin: IReplayOrigin): string | null;
  /** What a turn was sent with; null if it was not sent, or if that is unknown. */
  sent(origin: IReplayOrigin): ISentFacts | null;
  /** A turn's request as a source; null if its chat is not open. */
  source(origin: IReplayOrigin): Promise<IReplaySource | null>;
}

/** A replay, with what can be shown of it until it is exported. */
export interface IBuilt {
  readonly replay: IReplay;
  /** The messages before their edits, by their position in the payload. */
  readonly originals: Readonly<Record<number, IMessage>>;
  /** The whole request before edits, for reading; null if nothing was edited. */
  readonly before: string | null;
}
