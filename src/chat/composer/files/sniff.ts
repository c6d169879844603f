/** What a file is, judging by its content and not by its name. */

/** The type of a file that can be attached, or why it cannot be. */
export type Sniffed =
  | { type: string; problem?: 'truncated' | 'locked' }
  | { type: 'text' }
  | { other: string };

/** The type of a file's content. */
export function sniff(bytes: Uint8Array): Sniffed {
  if (starts(bytes, PNG)) {
    return { type: 'image/png', ...cutOff(!hasEnd(bytes, IEND)) };
  }
  if (starts(bytes, [0xff, 0xd8, 0xff])) {
    return { type: 'image/jpeg', ...cutOff(!hasEnd(bytes, [0xff, 0xd9])) };
  }
  if (word(bytes, 0, 6) === 'GIF87a' || word(bytes, 0, 6) === 'GIF89a') {
    return { type: 'image/gif', ...cutOff(!hasEnd(bytes, [0x3b])) };
  }
  if (word(bytes, 0, 4) === 'RIFF') {
    return riff(bytes);
  }
  if (word(bytes, 0, 1024).includes('%PDF-')) {
    return pdf(bytes);
  }
  if (word(bytes, 0, 3) === 'ID3' || isFrame(bytes)) {
    return { type: 'audio/mpeg' };
  }
  const other = OTHERS.find(
    ({ at = 0, is }) => word(bytes, at, is.length) === is
  );
  if (other) {
    return { other: other.name };
  }
  const text = decodeText(bytes);
  if (text === null) {
    return { other: '' };
  }
  return SVG.test(text.slice(0, 4096)) ? { other: 'SVG' } : { type: 'text' };
}

/** The text of a file; null if it is not text. */
export function decodeText(bytes: Uint8Array): string | null {
  const isLittle = starts(bytes, [0xff, 0xfe]);
  const isUtf16 = isLittle || starts(bytes, [0xfe, 0xff]);
  const encoding = isUtf16 ? (isLittle ? 'utf-16le' : 'utf-16be') : 'utf-8';
  if (!isUtf16 && bytes.includes(0)) {
    return null;
  }
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
const IEND = [0x49, 0x45, 0x4e, 0x44];
const SVG = /^\s*(<\?xml[^>]*>|<!--[\s\S]*?-->|<!DOCTYPE[^>]*>|\s)*<svg[\s>]/i;

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

/** How many bytes other tools may add after the end of an image. */
const TAIL = 4096;

function riff(bytes: Uint8Array): Sniffed {
  const type = { WEBP: 'image/webp', WAVE: 'audio/wav' }[word(bytes, 8, 4)];
  if (!type) {
    return { other: 'RIFF' };
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isCut =
    bytes.length < 12 ||
    (type === 'image/webp' && view.getUint32(4, true) + 8 > bytes.length);
  return { type, ...cutOff(isCut) };
}

function pdf(bytes: Uint8Array): Sniffed {
  const type = 'application/pdf';
  if (find(bytes, '/Encrypt') !== -1) {
    return { type, problem: 'locked' };
  }
  const end = word(bytes, Math.max(0, bytes.length - TAIL), TAIL);
  return { type, ...cutOff(!end.includes('%%EOF')) };
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

/** Whether a file has its end, near where it ends. */
function hasEnd(bytes: Uint8Array, end: readonly number[]): boolean {
  const from = Math.max(0, bytes.length - TAIL);
  for (let at = bytes.length - end.length; at >= from; at--) {
    if (end.every((byte, n) => bytes[at + n] === byte)) {
      return true;
    }
  }
  return false;
}

/** The index of a word in a file; -1 if it is not there. */
function find(bytes: Uint8Array, what: string): number {
  const first = what.charCodeAt(0);
  for (let at = bytes.indexOf(first); at !== -1;) {
    if (word(bytes, at, what.length) === what) {
      return at;
    }
    at = bytes.indexOf(first, at + 1);
  }
  return -1;
}

function word(bytes: Uint8Array, from: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(from, from + length));
}
