/**
 * What the user attached to a message: as notebook outputs, as parts of the message, and back.
 *
 * Attachments are the first outputs of a pair. A blob is stored there once; versions name it by its
 * hash.
 */
import type { IDisplayData, IOutput } from '@jupyterlab/nbformat';
import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

import { fromBase64 } from '../base/base64';
import { isObject, wellFormed } from '../base/json';
import { isMultiline, joinLines } from './multiline';
import {
  firstReference,
  readReference,
  readReferenceText,
  REFERENCE_MIME,
  referenceText,
  textHash,
  writeReference,
  type IReference
} from './references';

/** The kinds of attachments. */
export type AttachmentKind = 'image' | 'text' | 'pdf' | 'audio';

/** Something that the user attached to a message. */
export interface IAttachment {
  /** The MIME type of its output: of a text file that of references. */
  type: string;
  name: string;
  /** Base64 without line breaks; of a text file the text as it is sent. */
  data: string;
  /** The SHA-256 of the file's bytes; of a text file of the text as it is sent. */
  sha256: string;
  /** The size of the file in bytes. */
  size: number;
  /** Where it was frozen from, if it is more than a file that the user attached. */
  reference?: IReference;
}

/** An attachment among a pair's outputs. */
export interface IStoredAttachment extends IAttachment {
  /** Whether the file has its content; it may have been edited by hand. */
  isThere: boolean;
  /** Whether the user lets it be sent. */
  isSent: boolean;
}

/** How one type of attachment is stored and sent. */
interface IType {
  kind: AttachmentKind;
  /** The part of a message. */
  part(attachment: IAttachment): PartialJSONObject;
  /** What is read from a part of a message; null if the part is something else. */
  read(
    part: PartialJSONObject
  ): { name: string; data: string; reference?: IReference } | null;
  /** What a reader of the notebook without Turnbook sees of it; absent if that is the data. */
  plain?(attachment: IAttachment): string;
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** All types of attachments: one row each. */
const TYPES: Readonly<Record<string, IType>> = {
  'image/png': image('image/png'),
  'image/jpeg': image('image/jpeg'),
  'image/gif': image('image/gif'),
  'image/webp': image('image/webp'),
  'application/pdf': {
    kind: 'pdf',
    part: ({ name, data }) => ({
      type: 'file',
      file: { filename: name, file_data: `data:application/pdf;base64,${data}` }
    }),
    read: ({ type, file }) => {
      const { filename, file_data } = isObject(file) ? file : {};
      const data = dataOf(file_data, 'application/pdf');
      return type === 'file' && typeof filename === 'string' && data !== null
        ? { name: filename, data }
        : null;
    },
    plain: ({ name }) => `PDF: ${name}`
  },
  'audio/wav': audio('wav'),
  'audio/mpeg': audio('mp3'),
  [REFERENCE_MIME]: {
    kind: 'text',
    part: ({ data }) => ({ type: 'text', text: data }),
    read: ({ type, text }) =>
      type === 'text' && typeof text === 'string'
        ? readReferenceText(text)
        : null
  }
};

/** The bitmaps that can be attached. */
export const IMAGE_TYPES: readonly string[] = Object.keys(TYPES).filter(
  type => TYPES[type].kind === 'image'
);

/** Whether something with this type can be attached. */
export function isAttachmentType(type: unknown): boolean {
  return typeof type === 'string' && Object.hasOwn(TYPES, type);
}

/** The kind of an attachment. */
export function kindOf({ type }: Pick<IAttachment, 'type'>): AttachmentKind {
  return TYPES[type].kind;
}

/** An attachment of a text file. */
export function textAttachment(name: string, text: string): IAttachment {
  const file = wellFormed(text);
  const data = fileText(name, file);
  return {
    type: REFERENCE_MIME,
    name,
    data,
    sha256: textHash(data),
    size: utf8ToBytes(file).length
  };
}

/** A text file as it is sent. */
export function fileText(name: string, text: string): string {
  return referenceText({ kind: 'file', name }, text);
}

/** Whether an output is an attachment, readable or not. */
export function isAttachment(output: IOutput): boolean {
  return isAttachmentEntry(output.metadata);
}

/** Whether an output's metadata is that of an attachment. */
export function isAttachmentEntry(metadata: unknown): boolean {
  const entry = isObject(metadata) ? metadata.turnbook : undefined;
  return isObject(entry) && entry.part === 'attachment';
}

/** The attachments among a cell's outputs, in order. */
export function readAttachments(
  outputs: readonly IOutput[]
): IStoredAttachment[] {
  return outputs.filter(isAttachment).map(readAttachment);
}

/** The attachments among a cell's outputs that are sent. */
export function sentAttachments(
  outputs: readonly IOutput[]
): IStoredAttachment[] {
  return readAttachments(outputs).filter(
    ({ isThere, isSent }) => isThere && isSent
  );
}

/** The output for an attachment. */
export function attachmentOutput(attachment: IAttachment): IDisplayData {
  const { type, name, data, sha256: hash, size } = attachment;
  const { plain } = TYPES[type];
  const reference =
    attachment.reference && writeReference(attachment.reference);
  const isText = type === REFERENCE_MIME;
  return {
    output_type: 'display_data',
    data: isText
      ? {
          [type]: { ...(reference ?? { kind: 'file', name }), size },
          'text/markdown': data
        }
      : {
          [type]: data,
          ...(plain ? { 'text/plain': plain(attachment) } : {})
        },
    metadata: {
      turnbook: {
        part: 'attachment',
        name,
        sha256: hash,
        ...(reference && !isText ? { reference } : {})
      }
    }
  };
}

/**
 * The content of a user's message.
 *
 * Text alone is one string, also with text files before it, since some servers take nothing else.
 */
export function messageContent(
  text: string,
  attachments: readonly IAttachment[]
): string | PartialJSONObject[] {
  const isText = attachments.every(one => kindOf(one) === 'text');
  const said = text.trim() ? [text] : [];
  if (isText) {
    const files = attachments.map(({ data }) => data);
    return files.length ? [...files, ...said].join('\n\n') : text;
  }
  return [
    ...attachments.map(partOf),
    ...said.map(one => ({ type: 'text', text: one }))
  ];
}

/** Read a message's content back; null if it has no attachments or cannot be expressed by them. */
export function readContent(
  content: PartialJSONValue | undefined
): { text: string; attachments: IAttachment[] } | null {
  if (typeof content === 'string') {
    return readText(content);
  }
  if (!Array.isArray(content)) {
    return null;
  }
  const last: unknown = content[content.length - 1];
  const text = isObject(last) && isPlainText(last) ? String(last.text) : null;
  const parts = text === null ? content : content.slice(0, -1);
  const attachments = parts.map(readPart);
  return attachments.length && attachments.every(one => one !== null)
    ? { text: text ?? '', attachments }
    : null;
}

/** Read a text that begins with text files or references; null if it does not. */
function readText(
  content: string
): { text: string; attachments: IAttachment[] } | null {
  const attachments: IAttachment[] = [];
  let rest = content;
  for (
    let found = firstReference(rest);
    found !== null;
    found = firstReference(rest)
  ) {
    const attachment = readPart({ type: 'text', text: found });
    if (!attachment) {
      break;
    }
    attachments.push(attachment);
    // Without the empty line after it.
    rest = rest.slice(found.length + 2);
  }
  return attachments.length && messageContent(rest, attachments) === content
    ? { text: rest, attachments }
    : null;
}

/** The name and the size in bytes of what a message's part contains besides text; null if nothing. */
export function mediaOf(
  part: unknown
): { kind: AttachmentKind; type: string; name: string; data: string } | null {
  const found = isObject(part) ? readRow(part) : null;
  return found && found.kind !== 'text' ? found : null;
}

/** The size in bytes of what base64 encodes. */
export function decodedSize(data: string): number {
  return Math.floor((data.replace(/=+$/, '').length * 3) / 4);
}

/** The part of a message for an attachment; the same object for the same attachment. */
function partOf(attachment: IAttachment): PartialJSONObject {
  let part = PARTS.get(attachment);
  if (!part) {
    part = TYPES[attachment.type].part(attachment);
    PARTS.set(attachment, part);
  }
  return part;
}

/** Data URLs are as long as their files, and needed whenever a request is built. */
const PARTS = new WeakMap<IAttachment, PartialJSONObject>();

function readPart(part: PartialJSONValue): IAttachment | null {
  const found = isObject(part) ? readRow(part) : null;
  if (!found) {
    return null;
  }
  const { type, name, data, reference } = found;
  const bytes = bytesOf(found);
  const isExact =
    JSON.stringify(TYPES[type].part({ ...found, sha256: '', size: 0 })) ===
    JSON.stringify(part);
  return isExact && wellFormed(name) === name && wellFormed(data) === data
    ? {
        type,
        name,
        data,
        sha256: bytesToHex(sha256(bytes)),
        size: bytes.length,
        ...(reference ? { reference } : {})
      }
    : null;
}

function readRow(part: PartialJSONObject) {
  for (const [type, { kind, read }] of Object.entries(TYPES)) {
    const found = read(part);
    if (found) {
      return { kind, type, ...found };
    }
  }
  return null;
}

function readAttachment(output: IOutput): IStoredAttachment {
  const { turnbook } = output.metadata as PartialJSONObject;
  const entry = turnbook as PartialJSONObject;
  const bundle = isObject(output.data) ? output.data : {};
  const type = Object.keys(TYPES).find(one => Object.hasOwn(bundle, one)) ?? '';
  const isText = type === REFERENCE_MIME;
  const value = type ? bundle[isText ? 'text/markdown' : type] : undefined;
  const text = isMultiline(value) ? joinLines(value) : '';
  // Other tools break base64 into lines.
  const data = !isText && text.includes('\n') ? text.replace(/\s/g, '') : text;
  const about = isText ? bundle[type] : entry.reference;
  const { size } = isObject(about) ? about : {};
  const reference = readReference(about);
  return {
    type,
    name: typeof entry.name === 'string' ? entry.name : '',
    data,
    sha256: typeof entry.sha256 === 'string' ? entry.sha256 : '',
    size: !isText
      ? decodedSize(data)
      : typeof size === 'number'
        ? size
        : data.length,
    ...(reference ? { reference } : {}),
    isThere: data !== '',
    isSent: entry.sent !== false
  };
}

function image(type: string): IType {
  return {
    kind: 'image',
    part: ({ data }) => ({
      type: 'image_url',
      image_url: { url: `data:${type};base64,${data}` }
    }),
    read: part => {
      const { url } = isObject(part.image_url) ? part.image_url : {};
      const data = dataOf(url, type);
      return part.type === 'image_url' && data !== null
        ? { name: `image.${type.slice('image/'.length)}`, data }
        : null;
    }
  };
}

function audio(format: 'wav' | 'mp3'): IType {
  return {
    kind: 'audio',
    part: ({ data }) => ({
      type: 'input_audio',
      input_audio: { data, format }
    }),
    read: ({ type, input_audio: given }) => {
      const { data, format: found } = isObject(given) ? given : {};
      return type === 'input_audio' &&
        found === format &&
        typeof data === 'string' &&
        BASE64.test(data)
        ? { name: `audio.${format}`, data }
        : null;
    },
    plain: ({ name }) => `Audio: ${name}`
  };
}

/** The base64 of a data URL of this type; null if it is something else. */
function dataOf(url: unknown, type: string): string | null {
  const start = `data:${type};base64,`;
  const data =
    typeof url === 'string' && url.startsWith(start)
      ? url.slice(start.length)
      : null;
  return data !== null && BASE64.test(data) ? data : null;
}

/** Whether a part is the text of a message. */
function isPlainText(part: PartialJSONObject): boolean {
  return part.type === 'text' && typeof part.text === 'string';
}

/** The hash of what an attachment has; that of its file may be another, which was edited by hand. */
export function contentHash(
  attachment: Pick<IAttachment, 'type' | 'data'>
): string {
  return bytesToHex(sha256(bytesOf(attachment)));
}

function bytesOf({ type, data }: Pick<IAttachment, 'type' | 'data'>) {
  return TYPES[type].kind === 'text' ? utf8ToBytes(data) : decoded(data);
}

function decoded(data: string): Uint8Array {
  try {
    return fromBase64(data);
  } catch {
    // Providers are more tolerant of base64 than browsers; only the hash differs.
    return utf8ToBytes(data);
  }
}
