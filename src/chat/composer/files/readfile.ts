/** Makes an attachment of a file, or says why that is not possible. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

import { trans } from '../../../base/words';
import {
  textAttachment,
  type IAttachment
} from '../../../document/attachments';
import { bytesText } from '../../../ui/bytes';
import { withoutMetadata } from './clean';
import { decodeText, imageType, sniff, WESTERN } from './sniff';

/** What may be attached to one message. */
export const LIMITS = {
  /** How many files. */
  count: 20,
  /** Their size together, in bytes. */
  total: 50e6,
  /** The size of one file that is not text. */
  file: 20e6,
  /** The size of a text file. */
  text: 2e6,
  /** The size of a file that is read at all: a large image can be scaled down. */
  read: 100e6
};

/** An image that is too large. */
export interface ILargeImage {
  bytes: Uint8Array;
  name: string;
  type: string;
}

/** A file that cannot be attached. */
export class FileProblem extends Error {
  /**
   * @param image - The image, if it can be attached once it is scaled down.
   */
  constructor(
    message: string,
    readonly image: ILargeImage | null = null
  ) {
    super(message);
  }
}

/** A file that can be read. */
export interface IReadable {
  name: string;
  size: number;
  bytes: () => Promise<Uint8Array>;
  /** The first bytes, if they can be read without the others. */
  start?: (length: number) => Promise<Uint8Array>;
}

/** A file as an attachment. */
export interface IRead {
  file: IAttachment;
  /** What the user should know about how it was read. */
  note?: string;
}

/** A file of the browser. */
export function browserFile(file: File): IReadable {
  return {
    name: file.name,
    size: file.size,
    bytes: async () => new Uint8Array(await file.arrayBuffer()),
    start: async length =>
      new Uint8Array(await file.slice(0, length).arrayBuffer())
  };
}

/** Make an attachment of a file. Rejects with a `FileProblem` if that is not possible. */
export async function readFile(file: IReadable): Promise<IRead> {
  const name = cleanName(file.name);
  if (file.size > LIMITS.file && !(await isScalable(file))) {
    throw tooLarge(name, file.size, LIMITS.file);
  }
  const bytes = await file.bytes();
  if (!bytes.length) {
    throw new FileProblem(trans.__('%1 is empty.', name));
  }
  const found = sniff(bytes);
  if ('other' in found) {
    throw new FileProblem(otherWords(name, found.other));
  }
  if (found.type === 'text') {
    if (bytes.length > LIMITS.text) {
      throw tooLarge(name, bytes.length, LIMITS.text);
    }
    return readText(name, bytes);
  }
  const { type, problem } = found as { type: string; problem?: string };
  if (problem) {
    throw new FileProblem(
      problem === 'locked'
        ? trans.__(
            '%1 is protected with a password. Save it without one, then attach it.',
            name
          )
        : trans.__(
            '%1 is cut off: its end is missing. Download or copy it again, then attach it.',
            name
          )
    );
  }
  return {
    file: await blobAttachment(type, name, withoutMetadata(bytes, type))
  };
}

/**
 * Whether a large file is read at all, since it is an image that can be scaled down. Where only the
 * whole file could tell, its name does.
 */
async function isScalable({ name, size, start }: IReadable): Promise<boolean> {
  if (size > LIMITS.read) {
    return false;
  }
  return start
    ? imageType(await start(16)) !== null
    : /\.(png|jpe?g|gif|webp)$/i.test(name);
}

function readText(name: string, bytes: Uint8Array): IRead {
  const { text, encoding } = decodeText(bytes) ?? { text: '', encoding: '' };
  const file = textAttachment(name, text);
  return encoding === WESTERN
    ? {
        file,
        note: trans.__(
          '%1 is attached. It is not in UTF-8 and was read as Windows-1252: if letters look wrong in the request, save it as UTF-8 and attach it again.',
          name
        )
      }
    : { file };
}

/** Make an attachment of an image, a PDF or a sound. */
export async function blobAttachment(
  type: string,
  name: string,
  bytes: Uint8Array
): Promise<IAttachment> {
  if (bytes.length > LIMITS.file) {
    const { message } = tooLarge(name, bytes.length, LIMITS.file);
    throw new FileProblem(
      message,
      type.startsWith('image/') ? { bytes, name, type } : null
    );
  }
  const [data, hash] = await Promise.all([base64(bytes), hashOf(bytes)]);
  return { type, name, data, sha256: hash, size: bytes.length };
}

/** Why a file cannot be attached to those that are attached; null if it can. */
export function excess(
  files: readonly Pick<IAttachment, 'size'>[],
  next: Pick<IAttachment, 'size' | 'name'>
): string | null {
  if (files.length >= LIMITS.count) {
    return trans.__(
      '%1 is not attached: a message can have %2 files.',
      next.name,
      LIMITS.count
    );
  }
  const total = files.reduce((sum, { size }) => sum + size, next.size);
  return total > LIMITS.total
    ? trans.__(
        '%1 is not attached: the files of a message can have %2 together.',
        next.name,
        bytesText(LIMITS.total)
      )
    : null;
}

/** The name of a file on one line; what is not seen is left out. */
function cleanName(name: string): string {
  const seen = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]+/gu, ' ');
  const short = [...seen.trim()];
  return short.length > 120
    ? `${short.slice(0, 100).join('')}…${short.slice(-15).join('')}`
    : short.join('') || trans.__('file');
}

function tooLarge(name: string, size: number, limit: number): FileProblem {
  return new FileProblem(
    trans.__(
      '%1 has %2, which is too large: up to %3 can be attached.',
      name,
      bytesText(size),
      bytesText(limit)
    )
  );
}

function otherWords(name: string, other: string): string {
  if (other === 'SVG') {
    return trans.__(
      '%1 is an SVG drawing, which models cannot see. Save it as PNG, then attach it.',
      name
    );
  }
  return other
    ? trans.__(
        '%1 is not attached: its content is %2. PNG, JPEG, GIF, WebP, PDF, WAV, MP3 and text can be attached.',
        name,
        other
      )
    : trans.__(
        '%1 is not attached: its content is neither text nor any other type that can be. PNG, JPEG, GIF, WebP, PDF, WAV, MP3 and text can be attached.',
        name
      );
}

function base64(bytes: Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const url = reader.result as string;
      resolve(url.slice(url.indexOf(',') + 1));
    };
    reader.onerror = () => reject(reader.error ?? new Error('not read'));
    reader.readAsDataURL(new Blob([bytes as BlobPart]));
  });
}

/** Browsers hash by themselves only on pages that came over HTTPS or from this computer. */
async function hashOf(bytes: Uint8Array): Promise<string> {
  const { subtle } = globalThis.crypto;
  return bytesToHex(
    subtle
      ? new Uint8Array(await subtle.digest('SHA-256', bytes as BufferSource))
      : sha256(bytes)
  );
}
