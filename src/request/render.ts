/**
 * From messages to the bytes that leave.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import type { IMessage } from '../base/message';
import type { IMember } from './model';

/** What stands where the messages go. */
const MESSAGES = 'messages';

/**
 * What a request says besides its messages when nobody asks for more.
 */
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
 * The keys of the frame keep their order, and `messages` its place among them; where the
 * frame has none, they go last.
 */
export function renderRequest(
  frame: ReadonlyPartialJSONObject,
  messages: readonly IMessage[]
): string {
  return joinBody(frameMembers(frame), messages.map(messageJSON));
}

/** Put a body together from the exact texts of its parts. */
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

/** The keys of a frame with their values as texts. */
export function frameMembers(frame: ReadonlyPartialJSONObject): IMember[] {
  return Object.entries(frame)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({ key, json: JSON.stringify(value) }));
}

/** A message as text; made once for each object, since messages are never changed in place. */
export function messageJSON(message: IMessage): string {
  let json = texts.get(message);
  if (json === undefined) {
    json = JSON.stringify(message);
    texts.set(message, json);
  }
  return json;
}

const texts = new WeakMap<IMessage, string>();

/** The sha256 of a body's bytes, as the server takes it too. */
export function bodyHash(body: string): string {
  return bytesToHex(sha256(utf8ToBytes(body)));
}

/** Split `provider/model` at its first slash; models may have slashes of their own. */
export function splitModel(id: string): { provider: string; model: string } {
  const at = id.indexOf('/');
  return at === -1
    ? { provider: id, model: '' }
    : { provider: id.slice(0, at), model: id.slice(at + 1) };
}
