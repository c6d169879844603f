/** What a file is, judging by its content and not by its name. */
import { letters as word, piecesOf } from './pieces';

/** The type of a file that can be attached, or why it cannot be. */
export type Sniffed =
  | { type: string; problem?: 'truncated' | 'locked' }
  | { type: 'text' }
  | { other: string };

/** The type of a file's content. */
export function sniff(bytes: Uint8Array): Sniffed {
  const image = imageType(bytes);
  if (image) {
    return { type: image, ...cutOff(!piecesOf(bytes, image)?.isWhole) };
  }
  if (word(bytes, 0, 4) === 'RIFF') {
    return word(bytes, 8, 4) === 'WAVE'
      ? { type: 'audio/wav' }
      : { other: 'RIFF' };
  }
  if (isPdf(bytes)) {
    return pdf(bytes);
  }
  if ((word(bytes, 0, 3) === 'ID3' && bytes[3] < 9) || isFrame(bytes)) {
    return { type: 'audio/mpeg' };
  }
  const other = OTHERS.find(
    ({ at = 0, is }) => word(bytes, at, is.length) === is
  );
  if (other) {
    return { other: other.name };
  }
  const { text } = decodeText(bytes) ?? {};
  if (text === undefined) {
    return { other: '' };
  }
  return isSvg(text.slice(0, 4096)) ? { other: 'SVG' } : { type: 'text' };
}

/** The type of an image by its first bytes; null if it is something else. */
export function imageType(bytes: Uint8Array): string | null {
  if (starts(bytes, PNG)) {
    return 'image/png';
  }
  if (starts(bytes, [0xff, 0xd8, 0xff])) {
    return 'image/jpeg';
  }
  if (/^GIF8[79]a$/.test(word(bytes, 0, 6))) {
    return 'image/gif';
  }
  return word(bytes, 0, 4) === 'RIFF' && word(bytes, 8, 4) === 'WEBP'
    ? 'image/webp'
    : null;
}

/** The text of a file, and how it was read; null if it is not text. */
export function decodeText(
  bytes: Uint8Array
): { text: string; encoding: string } | null {
  const isLittle = starts(bytes, [0xff, 0xfe]);
  const isUtf16 = isLittle || starts(bytes, [0xfe, 0xff]);
  if (!isUtf16 && bytes.includes(0)) {
    return null;
  }
  const encoding = isUtf16 ? (isLittle ? 'utf-16le' : 'utf-16be') : 'utf-8';
  const text = decoded(bytes, encoding);
  if (text !== null || isUtf16) {
    return text === null ? null : { text, encoding };
  }
  return bytes.some(isUnprinted)
    ? null
    : { text: decoded(bytes, WESTERN) ?? '', encoding: WESTERN };
}

/** How text without another sign was written before UTF-8. */
export const WESTERN = 'windows-1252';

/** Bytes that mean nothing in it. */
const UNUSED: readonly number[] = [0x7f, 0x81, 0x8d, 0x8f, 0x90, 0x9d];

/** Whether a byte is in no text in that encoding; any other file soon has one. */
function isUnprinted(byte: number): boolean {
  const isSpace = byte >= 0x09 && byte <= 0x0d;
  return (byte < 0x20 && !isSpace && byte !== 0x1b) || UNUSED.includes(byte);
}

function decoded(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    if ((error as Error).name === 'TypeError') {
      return null;
    }
    throw error;
  }
}

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** One thing that can be before the first element of an SVG. */
const BEFORE_SVG = /\s+|<\?xml[^>]*>|<!--[\s\S]*?-->|<!DOCTYPE[^>]*>/iy;

/** Whether a text begins as an SVG does. */
function isSvg(text: string): boolean {
  // One after the other: a single expression for all of them tries every way to divide many comments.
  let at = 0;
  do {
    BEFORE_SVG.lastIndex = at;
    at += BEFORE_SVG.exec(text)?.[0].length ?? 0;
  } while (BEFORE_SVG.lastIndex);
  return /^<svg[\s>]/i.test(text.slice(at, at + 5));
}

/** What people attach by mistake. */
const OTHERS: readonly { at?: number; is: string; name: string }[] = [
  { is: 'PK\u0003\u0004', name: 'ZIP' },
  { at: 4, is: 'ftypheic', name: 'HEIC' },
  { at: 4, is: 'ftypmif1', name: 'HEIC' },
  { at: 4, is: 'ftypavif', name: 'AVIF' },
  { at: 4, is: 'ftyp', name: 'MP4' },
  { is: 'II*\u0000', name: 'TIFF' },
  { is: 'MM\u0000*', name: 'TIFF' },
  { is: '\u001f\u008b', name: 'gzip' },
  { is: 'OggS', name: 'Ogg' },
  { is: 'fLaC', name: 'FLAC' }
];

/** How near the end of a PDF its last line is. */
const TAIL = 4096;

/** Whether a file is a PDF, before which other programs may add some bytes, and no text about one. */
function isPdf(bytes: Uint8Array): boolean {
  const at = word(bytes, 0, 1024).indexOf('%PDF-');
  return at === 0 || (at > 0 && decodeText(bytes)?.encoding !== 'utf-8');
}

function pdf(bytes: Uint8Array): Sniffed {
  const type = 'application/pdf';
  if (isLocked(bytes)) {
    return { type, problem: 'locked' };
  }
  const end = word(bytes, Math.max(0, bytes.length - TAIL), TAIL);
  return { type, ...cutOff(!end.includes('%%EOF')) };
}

/** Whether a PDF says how it is encrypted. */
function isLocked(bytes: Uint8Array): boolean {
  const key = '/Encrypt';
  for (let at = find(bytes, key, 0); at !== -1; at = find(bytes, key, at + 1)) {
    const value = word(bytes, at + key.length, 24);
    if (/^\s*(\d+\s+\d+\s+R|<<)/.test(value)) {
      return true;
    }
  }
  return false;
}

function cutOff(isCut: boolean): { problem?: 'truncated' } {
  return isCut ? { problem: 'truncated' } : {};
}

/** Whether a file starts with a frame of MPEG audio. */
function isFrame(bytes: Uint8Array): boolean {
  const [sync, version, rate] = bytes;
  return (
    sync === 0xff &&
    (version & 0xe6) === 0xe2 &&
    (rate & 0xf0) !== 0xf0 &&
    (rate & 0x0c) !== 0x0c
  );
}

function starts(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, n) => bytes[n] === byte);
}

/** The index of a word in a file from a place on; -1 if it is not there. */
function find(bytes: Uint8Array, what: string, from: number): number {
  const first = what.charCodeAt(0);
  let at = bytes.indexOf(first, from);
  while (at !== -1 && word(bytes, at, what.length) !== what) {
    at = bytes.indexOf(first, at + 1);
  }
  return at;
}
