/** The pieces of which image files consist, and whether a file has all of them. */

/** A piece of a file. */
export interface IPiece {
  /** Its name in the format: a marker in hexadecimal, or four letters. */
  name: string;
  from: number;
  to: number;
}

/** The pieces of an image file. */
export interface IPieces {
  /** In order; what other programs added after the end is not among them. */
  pieces: IPiece[];
  /** Whether the file has its end. */
  isWhole: boolean;
}

/** The pieces of an image; null for a type that is not known. */
export function piecesOf(bytes: Uint8Array, type: string): IPieces | null {
  return READERS[type]?.(bytes) ?? null;
}

const READERS: Readonly<Record<string, (bytes: Uint8Array) => IPieces>> = {
  'image/jpeg': jpeg,
  'image/png': png,
  'image/gif': gif,
  'image/webp': webp
};

/** Segments by their markers; what follows `da` is the picture. */
function jpeg(bytes: Uint8Array): IPieces {
  const pieces: IPiece[] = [{ name: 'd8', from: 0, to: 2 }];
  let at = bytes.indexOf(0xff, 2);
  while (at !== -1 && at + 1 < bytes.length) {
    const marker = bytes[at + 1];
    const name = hex(marker);
    if (marker === 0xd9) {
      pieces.push({ name, from: at, to: at + 2 });
      return { pieces, isWhole: true };
    }
    if (marker === 0xff || isBare(marker)) {
      // Any number of 0xff may come before a marker.
      at = marker === 0xff ? at + 1 : bytes.indexOf(0xff, at + 2);
      continue;
    }
    const length = (bytes[at + 2] << 8) + bytes[at + 3];
    const end = at + 2 + length;
    const to = marker === 0xda ? scanEnd(bytes, end) : end;
    if (!(length >= 2) || to > bytes.length) {
      break;
    }
    pieces.push({ name, from: at, to });
    at = bytes.indexOf(0xff, to);
  }
  return { pieces, isWhole: false };
}

/** Where the compressed picture ends that starts here. */
function scanEnd(bytes: Uint8Array, start: number): number {
  let at = bytes.indexOf(0xff, start);
  while (at !== -1 && at + 1 < bytes.length && isBare(bytes[at + 1])) {
    at = bytes.indexOf(0xff, at + 2);
  }
  return at === -1 ? bytes.length : at;
}

/** Whether a marker is an escaped byte or stands alone. */
function isBare(marker: number): boolean {
  return (
    marker === 0x00 || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)
  );
}

/** Chunks by their names. */
function png(bytes: Uint8Array): IPieces {
  const view = viewOf(bytes);
  const pieces: IPiece[] = [{ name: 'head', from: 0, to: 8 }];
  let at = 8;
  while (at + 12 <= bytes.length) {
    const name = letters(bytes, at + 4, 4);
    const to = at + 12 + view.getUint32(at);
    if (to > bytes.length) {
      break;
    }
    pieces.push({ name, from: at, to });
    if (name === 'IEND') {
      return { pieces, isWhole: true };
    }
    at = to;
  }
  return { pieces, isWhole: false };
}

/** Images and extensions; an application's extension has its name after `ff`. */
function gif(bytes: Uint8Array): IPieces {
  const start = 13 + tableSize(bytes[10]);
  const pieces: IPiece[] = [{ name: 'head', from: 0, to: start }];
  let at = start;
  while (at < bytes.length) {
    const kind = bytes[at];
    if (kind === 0x3b) {
      pieces.push({ name: '3b', from: at, to: at + 1 });
      return { pieces, isWhole: true };
    }
    const isImage = kind === 0x2c;
    if (!isImage && kind !== 0x21) {
      break;
    }
    const label = hex(bytes[at + 1]);
    const program = label === 'ff' ? ` ${letters(bytes, at + 3, 11)}` : '';
    const blocks = isImage ? at + 11 + tableSize(bytes[at + 9]) : at + 2;
    const to = blocksEnd(bytes, blocks);
    pieces.push({ name: isImage ? '2c' : label + program, from: at, to });
    at = to;
  }
  return { pieces, isWhole: false };
}

/** The size of a GIF's colour table by the flags before it. */
function tableSize(flags = 0): number {
  return flags & 0x80 ? 3 << ((flags & 7) + 1) : 0;
}

/** Where a GIF's row of blocks ends, each of which says its length. */
function blocksEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== 0) {
    at += 1 + bytes[at];
  }
  return at + 1;
}

/** Chunks by their names. */
function webp(bytes: Uint8Array): IPieces {
  const view = viewOf(bytes);
  const pieces: IPiece[] = [{ name: 'head', from: 0, to: 12 }];
  const end = bytes.length < 12 ? Infinity : 8 + view.getUint32(4, true);
  let at = 12;
  while (at + 8 <= Math.min(end, bytes.length)) {
    const size = view.getUint32(at + 4, true);
    // Some programs leave the last padding out.
    const to = Math.min(at + 8 + size + (size % 2), end);
    pieces.push({ name: letters(bytes, at, 4), from: at, to });
    at = to;
  }
  return { pieces, isWhole: end <= bytes.length };
}

/** Letters in a file, one for each byte. */
export function letters(
  bytes: Uint8Array,
  from: number,
  length: number
): string {
  return String.fromCharCode(...bytes.subarray(from, from + length));
}

function hex(byte = 0): string {
  return byte.toString(16).padStart(2, '0');
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
