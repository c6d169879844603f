/** Where a cell of a notebook comes from: a reply of a chat. */
import type { PartialJSONObject } from '@lumino/coreutils';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

import { isObject, wellFormed } from '../base/json';

/** The metadata key of such a cell. It is in notebooks that are no chats. */
export const ORIGIN_KEY = 'turnbook_from';

/** The pair that a cell was made from. */
export interface IOrigin {
  chatId: string;
  /** The id of the pair's cell. */
  pair: string;
  /** The run that brought the reply; empty if none of Turnbook's did. */
  run: string;
  /** The hash of the text that was taken. */
  sha256: string;
}

/** The longest id that is looked for. */
const MAX_ID = 200;

/** The metadata of a cell with a text that comes from a pair; none while the chat has no id. */
export function originMetadata(
  text: string,
  from: Omit<IOrigin, 'sha256'>
): PartialJSONObject {
  const { chatId, pair, run } = from;
  return chatId
    ? { [ORIGIN_KEY]: { chatId, pair, run, sha256: originHash(text) } }
    : {};
}

/** The origin that a metadata value names; null if it names none. */
export function readOrigin(value: unknown): IOrigin | null {
  if (!isObject(value)) {
    return null;
  }
  const { chatId, pair, run, sha256 } = value;
  return isId(chatId) &&
    isId(pair) &&
    (run === '' || isId(run)) &&
    typeof sha256 === 'string' &&
    /^[0-9a-f]{64}$/.test(sha256)
    ? { chatId, pair, run, sha256 }
    : null;
}

/** The hash by which a text is found again. */
export function originHash(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(wellFormed(text))));
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_ID;
}
