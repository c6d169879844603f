/** Responses in records: the exact bytes that came back for the payload. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

import { isObject } from '../../base/json';
import type { IResponse } from '../../base/run';
import { digest, type IRecordResponse, type IReplay } from './record';

const TIMES = ['sentAt', 'answered', 'ended'] as const;

/** The response of a run for a record; null if the journal does not have all of it. */
export function recordResponse(
  told: IResponse,
  bytes: Uint8Array
): IRecordResponse | null {
  const { status, sentAt, answered, ended } = told;
  const hash = bytesToHex(sha256(bytes));
  if (
    status === null ||
    sentAt === null ||
    answered === null ||
    ended === null ||
    hash !== told.hash
  ) {
    return null;
  }
  const about = { status, sentAt, answered, ended, size: bytes.length, hash };
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return bytesToHex(sha256(new TextEncoder().encode(text))) === hash
    ? { ...about, body: text }
    : { ...about, encoding: 'base64', body: toBase64(bytes) };
}

/** A replay whose record has the response, too. */
export function withResponse(
  { record, lineage }: IReplay,
  response: IRecordResponse
): IReplay {
  const bound = { ...record, response };
  return { record: { ...bound, digest: digest(bound, lineage) }, lineage };
}

/** The bytes of a response; null if its base64 cannot be read. */
export function responseBytes({
  encoding,
  body
}: IRecordResponse): Uint8Array | null {
  if (encoding === undefined) {
    return new TextEncoder().encode(body);
  }
  try {
    const text = atob(body);
    // Browsers skip spaces and do not ask for padding.
    return btoa(text) === body
      ? Uint8Array.from(text, sign => sign.charCodeAt(0))
      : null;
  } catch (error) {
    if (error instanceof DOMException) {
      return null;
    }
    throw error;
  }
}

/** Whether the body of a response has the size and the hash that the record says. */
export function isAsReceived(response: IRecordResponse): boolean {
  const bytes = responseBytes(response);
  return (
    bytes !== null &&
    bytes.length === response.size &&
    bytesToHex(sha256(bytes)) === response.hash
  );
}

/** Whether a value can be read as the response of a record. */
export function isRecordResponse(value: unknown): boolean {
  return (
    isObject(value) &&
    ['status', 'size', ...TIMES].every(
      key => Number.isSafeInteger(value[key]) && (value[key] as number) >= 0
    ) &&
    typeof value.hash === 'string' &&
    typeof value.body === 'string' &&
    (value.encoding === undefined || value.encoding === 'base64')
  );
}

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 32_768) {
    text += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  }
  return btoa(text);
}
