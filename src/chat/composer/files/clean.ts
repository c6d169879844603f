/**
 * Removes from an image what it says besides the picture: where and when it was taken, with what, by
 * whom. The picture itself is not encoded again.
 */
import { letters, piecesOf } from './pieces';

/** An image without its metadata; the same bytes if there was none, or if it is of another type. */
export function withoutMetadata(bytes: Uint8Array, type: string): Uint8Array {
  const read = piecesOf(bytes, type);
  if (!read?.isWhole) {
    return bytes;
  }
  const kept = read.pieces.flatMap(piece => {
    const content = bytes.subarray(piece.from, piece.to);
    if (!IS_METADATA[type](piece.name, content)) {
      return [content];
    }
    const turned =
      piece.name === 'e1' ? jpegOrientation(content.subarray(4)) : 1;
    return turned === 1 ? [] : [turnedSegment(turned)];
  });
  const clean = joined(bytes, kept);
  return type === 'image/webp' && clean !== bytes ? withHeader(clean) : clean;
}

/** Whether a piece of an image can be left out and the picture looks the same. */
const IS_METADATA: Readonly<
  Record<string, (name: string, content: Uint8Array) => boolean>
> = {
  // Of what programs may add, only what says how colours are meant counts.
  'image/jpeg': (name, content) =>
    name === 'fe' ||
    (/^e[1-9a-f]$/.test(name) &&
      name !== 'ee' &&
      !(name === 'e2' && letters(content, 4, 11) === 'ICC_PROFILE')),
  'image/png': name => ['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME'].includes(name),
  'image/gif': name =>
    name === 'fe' ||
    (name.startsWith('ff ') && !/NETSCAPE2\.0|ANIMEXTS1\.0/.test(name)),
  'image/webp': name => name === 'EXIF' || name === 'XMP '
};

/**
 * How an EXIF segment says that the picture is turned; 1 if it is not.
 *
 * Without it, models would see the picture lying on its side.
 */
export function jpegOrientation(segment: Uint8Array): number {
  const isExif = letters(segment, 0, 4) === 'Exif';
  const order = isExif ? letters(segment, 6, 2) : '';
  if (segment.length < 14 || (order !== 'II' && order !== 'MM')) {
    return 1;
  }
  const little = order === 'II';
  const view = new DataView(
    segment.buffer,
    segment.byteOffset + 6,
    segment.length - 6
  );
  const start = view.getUint32(4, little);
  const count =
    start + 2 <= view.byteLength ? view.getUint16(start, little) : 0;
  for (let n = 0; n < count; n++) {
    const at = start + 2 + 12 * n;
    if (at + 12 > view.byteLength) {
      return 1;
    }
    if (view.getUint16(at, little) === 0x0112) {
      const turned = view.getUint16(at + 8, little);
      return turned <= 8 ? turned || 1 : 1;
    }
  }
  return 1;
}

/** An EXIF segment that says nothing but how the picture is turned. */
function turnedSegment(orientation: number): Uint8Array {
  // prettier-ignore
  return Uint8Array.of(
    0xff, 0xe1, 0, 34, 0x45, 0x78, 0x69, 0x66, 0, 0, // Exif
    0x4d, 0x4d, 0, 42, 0, 0, 0, 8, // The header, big-endian.
    0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, // One entry.
    0, 0, 0, 0
  );
}

/** The flags in a WebP's header that say that it has EXIF or XMP. */
const WEBP_FLAGS = 0x08 | 0x04;

/** A WebP whose header says what is in it. */
function withHeader(bytes: Uint8Array): Uint8Array {
  new DataView(bytes.buffer).setUint32(4, bytes.length - 8, true);
  if (letters(bytes, 12, 4) === 'VP8X') {
    bytes[20] &= ~WEBP_FLAGS;
  }
  return bytes;
}

/** The parts as one file; the file itself if they are all of it. */
function joined(bytes: Uint8Array, parts: readonly Uint8Array[]): Uint8Array {
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  const isSame =
    size === bytes.length && parts.every(part => part.buffer === bytes.buffer);
  if (isSame) {
    return bytes;
  }
  const clean = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    clean.set(part, at);
    at += part.length;
  }
  return clean;
}
