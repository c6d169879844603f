/**
 * What a replay is made from.
 */
import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';

import type { IMessage } from '../../base/message';
import type { IEditedRequest } from '../../request/model';
import type { IBuildFacts, IReplay, ISentFacts } from './record';

/** Which turn a replay belongs to, in words and ids; this outlives the source. */
export interface IReplayOrigin {
  readonly chatId: string;
  readonly pair: string;
  /** The chat's name. */
  readonly name: string;
  /** The chat's file. */
  readonly path: string;
  /** Which turn of the chat it is, from 1. */
  readonly turn: number;
}

/** A request that can be replayed, as it stands now. */
export interface IReplaySource {
  readonly origin: IReplayOrigin;
  /** The request with the edits of this moment. */
  request(): IEditedRequest;
  /** Take a version of it: its number, and what is known of its run. */
  version(): Pick<
    IBuildFacts,
    'version' | 'requestId' | 'loggedHash' | 'trimmed'
  >;
  /** Emitted when the request is another one, as long as somebody watches. */
  readonly changed: ISignal<unknown, unknown>;
  /** Keep the request up to date until the answer is disposed. */
  watch(): IDisposable;
}

/** The turns of the chats that are open. */
export interface ITurns {
  /** The hash of a turn's request as it stands; null if that is not known. */
  hash(origin: IReplayOrigin): string | null;
  /** With what a turn was sent; null if it was not, or if that is not known. */
  sent(origin: IReplayOrigin): ISentFacts | null;
  /** A turn's request, to be replayed; null if its chat is not open. */
  source(origin: IReplayOrigin): Promise<IReplaySource | null>;
}

/** A replay with what can be shown of it as long as it is not exported. */
export interface IBuilt {
  readonly replay: IReplay;
  /** The messages before their edits, by their place in the payload. */
  readonly originals: Readonly<Record<number, IMessage>>;
  /** The whole request before the edits, to be read; null if nothing was edited. */
  readonly before: string | null;
}
