/**
 * From messages to the bytes that leave.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

import type { IMessage } from '../context/gather';

/** What a request says besides its messages. */
export type RequestOptions = Record<string, unknown>;

/**
 * Render a request to its body. Deterministic, and the only code that makes a body.
 */
export function render(
  model: string,
  messages: readonly IMessage[],
  options: RequestOptions = {}
): string {
  return JSON.stringify({
    model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    ...options
  });
}

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
