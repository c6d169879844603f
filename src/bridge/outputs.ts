/**
 * What a cell of a notebook shows, as attachments of a message.
 */
import type { IOutput } from '@jupyterlab/nbformat';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

import { fromBase64 } from '../base/base64';
import { isObject } from '../base/json';
import { withoutMetadata } from '../chat/composer/files/clean';
import { LIMITS } from '../chat/composer/files/readfile';
import { sniff } from '../chat/composer/files/sniff';
import { IMAGE_TYPES, type IAttachment } from '../document/attachments';
import { isMultiline, joinLines } from '../document/multiline';
import { referenceAttachment, type IReference } from '../document/references';
import { joinStreams, overwritten } from '../document/shown';
import { cutMiddle } from './cuttext';
import { htmlText } from './htmltext';

/** Texts that say as little as that there is an object. */
const EMPTY_TEXT = /^<[\w.]+ (object|at 0x)[^>]*>$|^<Figure size [^>]*>$/;

/** Types with a text that is sent as it is, the preferred first. */
const TEXTS = ['text/markdown', 'text/latex', 'text/plain'];

/** Types that are described by a text beside them, so that they need not be named. */
const DESCRIBED = /^(text\/|image\/svg\+xml$)/;

type Piece = { text: string } | { image: Uint8Array; type: string };

/**
 * The attachments for some outputs, in order: texts that follow each other are one, and each image
 * is one.
 *
 * @param reference - Of the outputs; `name` is what the chip says.
 * @param at - The current time, in milliseconds since 1970.
 */
export function outputAttachments(
  outputs: readonly IOutput[],
  reference: Omit<IReference, 'kind' | 'at'>,
  at: number
): IAttachment[] {
  const pieces = joinStreams(outputs).flatMap(piecesOf);
  const groups: Piece[] = [];
  for (const piece of pieces) {
    const last = groups[groups.length - 1];
    if (last && 'text' in last && 'text' in piece) {
      last.text += `\n\n${piece.text}`;
    } else {
      groups.push({ ...piece });
    }
  }
  return groups.map((group, n) => {
    const name = n ? `${reference.name} (${n + 1})` : reference.name;
    const own: IReference = { ...reference, kind: 'output', name, at };
    return 'text' in group
      ? referenceAttachment(own, cutMiddle(group.text))
      : imageAttachment(own, group.image, group.type);
  });
}

/** Whether outputs have an error. */
export function hasError(outputs: readonly IOutput[]): boolean {
  return outputs.some(({ output_type: type }) => type === 'error');
}

function imageAttachment(
  reference: IReference,
  bytes: Uint8Array,
  type: string
): IAttachment {
  return {
    type,
    name: reference.name,
    data: base64(bytes),
    sha256: bytesToHex(sha256(bytes)),
    size: bytes.length,
    reference
  };
}

function piecesOf(output: IOutput): Piece[] {
  switch (output.output_type) {
    case 'stream':
      return textPiece(
        overwritten(plain(isMultiline(output.text) ? output.text : ''))
      );
    case 'error':
      return textPiece(errorText(output));
    case 'display_data':
    case 'execute_result':
    case 'update_display_data':
      return isObject(output.data) ? bundlePieces(output.data) : [];
    default:
      return textPiece(`(an output of type ${String(output.output_type)})`);
  }
}

/** An error with its name, its value and the traceback. */
function errorText({ ename, evalue, traceback }: IOutput): string {
  const name = [ename, evalue].map(asText).filter(Boolean).join(': ');
  const lines = Array.isArray(traceback)
    ? plain(traceback.map(asText).join('\n')).trim()
    : '';
  const last = name.split('\n', 1)[0];
  return lines.includes(last)
    ? lines
    : [name, lines].filter(Boolean).join('\n');
}

/** What is seen of a MIME bundle. */
function bundlePieces(data: Record<string, unknown>): Piece[] {
  const types = Object.keys(data);
  const table = tableOf(data);
  if (table !== null) {
    return textPiece(table);
  }
  const unread: string[] = [];
  for (const type of IMAGE_TYPES.filter(one => types.includes(one))) {
    const image = readImage(data[type], type);
    if (image) {
      return [image];
    }
    unread.push(type);
  }
  const named = [
    ...unread,
    ...types.filter(
      type => !DESCRIBED.test(type) && !IMAGE_TYPES.includes(type)
    )
  ];
  const text = bundleText(data);
  const names = named.map(type => `(an output of type ${type})`);
  return textPiece([...(text ? [text] : []), ...names].join('\n'));
}

/** The text of HTML with tables; null if there is none. */
function tableOf(data: Record<string, unknown>): string | null {
  const html = data['text/html'];
  // Parsing is for what can have a table.
  if (!isMultiline(html) || !/<table/i.test(joinLines(html))) {
    return null;
  }
  const { text, hasTable } = htmlText(joinLines(html));
  return hasTable && text ? text : null;
}

function bundleText(data: Record<string, unknown>): string {
  const found = TEXTS.map(type => data[type])
    .filter(isMultiline)
    .map(value => plain(value))
    .find(text => text.trim() && !EMPTY_TEXT.test(text.trim()));
  if (found !== undefined) {
    return found;
  }
  const html = data['text/html'];
  if (isMultiline(html)) {
    const { text } = htmlText(joinLines(html));
    return text || '(an output of type text/html without text)';
  }
  if ('image/svg+xml' in data) {
    return '(an output of type image/svg+xml)';
  }
  return isMultiline(data['text/plain']) ? plain(data['text/plain']) : '';
}

/** A bitmap; null if the data is not what its type says, cut off, or too large. */
function readImage(value: unknown, type: string): Piece | null {
  const text = isMultiline(value) ? joinLines(value).replace(/\s/g, '') : '';
  try {
    const image = fromBase64(text);
    const found = sniff(image);
    const isWhole =
      'type' in found && found.type === type && !('problem' in found);
    return isWhole && image.length <= LIMITS.file
      ? { image: withoutMetadata(image, type), type }
      : null;
  } catch (error) {
    if ((error as Error).name === 'InvalidCharacterError') {
      return null;
    }
    throw error;
  }
}

function textPiece(text: string): Piece[] {
  const seen = text.replace(/\s+$/, '');
  return seen ? [{ text: seen }] : [];
}

/** A text without the codes that colour it, link it or move the cursor. */
function plain(value: string | string[]): string {
  return joinLines(value).replace(
    // eslint-disable-next-line no-control-regex
    /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g,
    ''
  );
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : value == null ? '' : `${value}`;
}

function base64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 0x8000) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  }
  return btoa(parts.join(''));
}
