/**
 * Removes from an image what it says besides the picture: where and when it was taken, with what, by
 * whom. The picture itself is not encoded again.
 */

/** An image without its metadata; the same bytes if there was none, or if it is of another type. */
export function withoutMetadata(bytes: Uint8Array, type: string): Uint8Array {
  switch (type) {
    case 'image/jpeg':
      return joined(bytes, jpegParts(bytes));
    case 'image/png':
      return joined(bytes, pngParts(bytes));
    case 'image/webp':
      return webp(bytes);
    default:
      return bytes;
  }
}

/** From where to where a part of a file goes, or other bytes in its place. */
type Part = readonly [from: number, to: number] | Uint8Array;

/** The segments of a JPEG that may have anything in them: EXIF and XMP, IPTC, comments. */
const JPEG_METADATA: readonly number[] = [0xe1, 0xed, 0xfe];

function jpegParts(bytes: Uint8Array): Part[] {
  const parts: Part[] = [[0, 2]];
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1];
    if (marker === 0xda) {
      break;
    }
    const end = at + 2 + (bytes[at + 2] << 8) + bytes[at + 3];
    const turned =
      marker === 0xe1 ? jpegOrientation(bytes.subarray(at + 4, end)) : 1;
    if (!JPEG_METADATA.includes(marker)) {
      parts.push([at, end]);
    } else if (turned !== 1) {
      parts.push(turnedSegment(turned));
    }
    at = end;
  }
  return [...parts, [at, bytes.length]];
}

/**
 * How an EXIF segment says that the picture is turned; 1 if it is not.
 *
 * Without it, models would see the picture lying on its side.
 */
export function jpegOrientation(segment: Uint8Array): number {
  const isExif = text(segment, 0, 4) === 'Exif';
  const order = isExif ? text(segment, 6, 2) : '';
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
      return view.getUint16(at + 8, little);
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

const PNG_METADATA: readonly string[] = [
  'eXIf',
  'tEXt',
  'zTXt',
  'iTXt',
  'tIME'
];

function pngParts(bytes: Uint8Array): Part[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: Part[] = [[0, 8]];
  let at = 8;
  while (at + 12 <= bytes.length) {
    const end = at + 12 + view.getUint32(at);
    if (!PNG_METADATA.includes(text(bytes, at + 4, 4))) {
      parts.push([at, end]);
    }
    at = end;
  }
  return [...parts, [at, bytes.length]];
}

/** The flags in a WebP's header that say that it has EXIF or XMP. */
const WEBP_FLAGS = 0x08 | 0x04;

function webp(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: Part[] = [[0, 12]];
  let at = 12;
  while (at + 8 <= bytes.length) {
    const size = view.getUint32(at + 4, true);
    const end = at + 8 + size + (size % 2);
    if (!['EXIF', 'XMP '].includes(text(bytes, at, 4))) {
      parts.push([at, end]);
    }
    at = end;
  }
  const clean = joined(bytes, parts);
  if (clean !== bytes) {
    const header = new DataView(clean.buffer);
    header.setUint32(4, clean.length - 8, true);
    if (text(clean, 12, 4) === 'VP8X') {
      clean[20] &= ~WEBP_FLAGS;
    }
  }
  return clean;
}

function joined(bytes: Uint8Array, parts: readonly Part[]): Uint8Array {
  const kept = parts.map(part =>
    part instanceof Uint8Array ? part : bytes.subarray(part[0], part[1])
  );
  const size = kept.reduce((sum, part) => sum + part.length, 0);
  if (
    size === bytes.length &&
    !parts.some(part => part instanceof Uint8Array)
  ) {
    return bytes;
  }
  const clean = new Uint8Array(size);
  let at = 0;
  for (const part of kept) {
    clean.set(part, at);
    at += part.length;
  }
  return clean;
}

function text(bytes: Uint8Array, from: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(from, from + length));
}
