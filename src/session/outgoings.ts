import { UUID } from '@lumino/coreutils';

import type { Results } from '../document/continue';
import { findPair, lastCell } from '../document/landing';
import { isReplayed } from '../document/lock';
import { Pair } from '../document/pair';
import { MOST_REPLIES } from '../document/siblingmark';
import { siblingsOf } from '../document/siblings';
import type { IHeld, IPayload } from '../request/pause';
import { Continue, MoreReplies, Payload } from './exactoutgoing';
import {
  heldModels,
  NewMessage,
  Regenerate,
  Resend,
  type IOutgoingParts,
  type Outgoing
} from './outgoing';

/** Creates what is sent. */
export class Outgoings {
  constructor(private _parts: IOutgoingParts) {}

  /**
   * The message being written; null if it is empty.
   *
   * @param models - The models to ask, with repeats; by default, that of the chat.
   */
  message(models: readonly string[] = []): Outgoing | null {
    const { draft, notebook } = this._parts;
    if (findPair(notebook, draft.pair)) {
      // Another page on this chat has sent the message for which this id was reserved.
      draft.renew();
    }
    return draft.isEmpty ? null : new NewMessage(this._parts, models);
  }

  /** A pair with another text, to all that were asked; null if there is nothing to send. */
  resend(pair: string, text: string): Outgoing | null {
    const found = Pair.find(this._parts.notebook, pair);
    return found && (text.trim() || found.text.attachments.length)
      ? new Resend(this._parts, pair, text, this._again(modelsOf(found)))
      : null;
  }

  /**
   * A pair that asks for its reply again, or for the first time if it came with a replay; null if it
   * was sent and has no reply, or if its text is not what it sends.
   */
  regenerate(pair: string): Outgoing | null {
    const found = Pair.find(this._parts.notebook, pair);
    const asks =
      found &&
      (found.hasReply ||
        (isReplayed(found.cell) && found.storedRun === undefined));
    const { source = '', text } = found ?? {};
    return asks &&
      (source.trim() || text?.attachments.length) &&
      !found.messages
      ? new Regenerate(this._parts, pair, source, this._again(modelsOf(found)))
      : null;
  }

  /**
   * A pair that asks other models too, with the bytes that were sent; null if it was not sent or is more
   * than one request.
   */
  more(pair: string, models: readonly string[]): Outgoing | null {
    const found = Pair.find(this._parts.notebook, pair);
    return found?.run?.runId && !found.rounds.length && models.length
      ? new MoreReplies(this._parts, pair, models)
      : null;
  }

  /**
   * A turn that continues from one of its tool rounds, with results that are not in the document
   * yet.
   */
  goOn(
    pair: string,
    round: number,
    written: Results = new Map()
  ): Outgoing | null {
    const text = Pair.find(this._parts.notebook, pair)?.source;
    return text === undefined
      ? null
      : new Continue(this._parts, pair, text, round, written);
  }

  /** The bytes of a request: for the last pair, or for a new one if that has a reply. */
  payload(payload: IPayload): Outgoing {
    const { notebook } = this._parts;
    const last = Pair.find(notebook, lastCell(notebook) ?? '');
    const waiting = last?.hasReply ? null : last;
    const pair = waiting?.id ?? UUID.uuid4();
    return new Payload(this._parts, pair, waiting?.source ?? '', payload);
  }

  /** A paused message. */
  again(held: IHeld): Outgoing {
    const { pair, text, resend, regenerate, round, payload, models } = held;
    if (held.more) {
      return new MoreReplies(this._parts, pair, models ?? []);
    }
    if (payload) {
      return new Payload(this._parts, pair, text, payload);
    }
    if (round !== undefined) {
      return new Continue(this._parts, pair, text, round, new Map());
    }
    if (regenerate) {
      return new Regenerate(this._parts, pair, text, this._again(models));
    }
    return resend
      ? new Resend(this._parts, pair, text, this._again(models))
      : new NewMessage(this._parts, models);
  }

  /** A paused message with the models that it goes to now. */
  asPaused(held: IHeld): IHeld {
    const { models: _, ...rest } = held;
    return { ...rest, ...heldModels(this.again(held).models) };
  }

  private _again(models: readonly string[] = []): readonly string[] {
    return this._parts.about.askedAgain(models);
  }
}

/**
 * The models that a pair asked; none if it asked one.
 *
 * A pair may have more replies than can be asked for at once: then each model is asked once.
 */
function modelsOf(pair: Pair): string[] {
  const models = siblingsOf(pair).map(({ info }) => info.model);
  return models.length > MOST_REPLIES
    ? [...new Set(models)].slice(0, MOST_REPLIES)
    : models;
}
