/** From messages to the bytes that are sent. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import type { IMessage } from '../base/message';
import type { IMember } from './model';

/** The key that marks the position of the messages. */
const MESSAGES = 'messages';

/** The default contents of a request besides its messages. */
export function defaultFrame(model: string): ReadonlyPartialJSONObject {
  return {
    model,
    messages: null,
    stream: true,
    stream_options: { include_usage: true }
  };
}

/**
 * Render a request to its body. Deterministic, and the only code that makes a body.
 *
 * The keys of the frame keep their order, and `messages` its position among them; if the frame does
 * not have it, it goes last.
 */
export function renderRequest(
  frame: ReadonlyPartialJSONObject,
  messages: readonly IMessage[]
): string {
  return joinBody(frameMembers(frame), messages.map(messageJSON));
}

/** Join a body from the exact texts of its parts. */
export function joinBody(
  members: readonly IMember[],
  messages: readonly string[]
): string {
  const list = `[${messages.join(',')}]`;
  const parts = members.map(
    ({ key, json }) =>
      `${JSON.stringify(key)}:${key === MESSAGES ? list : json}`
  );
  if (!members.some(({ key }) => key === MESSAGES)) {
    parts.push(`"${MESSAGES}":${list}`);
  }
  return `{${parts.join(',')}}`;
}

/** The keys of a frame with their values as text. */
export function frameMembers(frame: ReadonlyPartialJSONObject): IMember[] {
  return Object.entries(frame)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({ key, json: JSON.stringify(value) }));
}

/** A message as text, cached per object, since messages are never changed in place. */
export function messageJSON(message: IMessage): string {
  let json = texts.get(message);
  if (json === undefined) {
    json = JSON.stringify(message);
    texts.set(message, json);
  }
  return json;
}

const texts = new WeakMap<IMessage, string>();

/** The sha256 of a body's bytes, as the server computes it. */
export function bodyHash(body: string): string {
  return bytesToHex(sha256(utf8ToBytes(body)));
}

/** Split `provider/model` at its first slash; model names may contain slashes. */
export function splitModel(id: string): { provider: string; model: string } {
  const at = id.indexOf('/');
  return at === -1
    ? { provider: id, model: '' }
    : { provider: id.slice(0, at), model: id.slice(at + 1) };
}
