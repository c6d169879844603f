/**
 * What a cell of a notebook shows, as attachments of a message.
 */
import type { IOutput } from '@jupyterlab/nbformat';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

import { fromBase64 } from '../base/base64';
import { isObject } from '../base/json';
import { withoutCodes } from '../base/terminal';
import { withoutMetadata } from '../chat/composer/files/clean';
import { LIMITS } from '../chat/composer/files/readfile';
import { sniff } from '../chat/composer/files/sniff';
import { IMAGE_TYPES, type IAttachment } from '../document/attachments';
import { isMultiline, joinLines } from '../document/multiline';
import { referenceAttachment, type IReference } from '../document/references';
import { joinStreams, overwritten } from '../document/shown';
import {
  cutMiddle,
  endsOf,
  joinPartly,
  readEnds,
  sizeOf,
  TEXT_LIMIT,
  trimPartly,
  type IPartly
} from './cuttext';
import { endsOfOutputs } from './outputends';
import { HTML_LIMIT, htmlText } from './htmltext';

/** Texts that say as little as that there is an object. */
const EMPTY_TEXT = /^<[\w.]+ (object|at 0x)[^>]*>$|^<Figure size [^>]*>$/;

/** Types with a text that is sent as it is, the preferred first. */
const TEXTS = ['text/markdown', 'text/latex', 'text/plain'];

/** Types that are described by a text beside them, so that they need not be named. */
const DESCRIBED = /^(text\/|image\/svg\+xml$)/;

/** The longest base64 of an image that is sent, with as many spaces again. */
const IMAGE_LIMIT = (2 * LIMITS.file * 4) / 3;

type Piece = IPartly | { image: Uint8Array; type: string };

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
  const pieces = endsOfOutputs(joinStreams(outputs)).flatMap((one): Piece[] =>
    typeof one === 'number'
      ? [{ text: '', gaps: [{ at: 0, count: one }] }]
      : piecesOf(one)
  );
  const groups: Piece[] = [];
  for (const piece of pieces) {
    const last = groups[groups.length - 1];
    if (last && 'text' in last && 'text' in piece) {
      groups.splice(-1, 1, joinPartly([last, piece], '\n\n'));
    } else {
      groups.push(piece);
    }
  }
  return groups.map((group, n) => {
    const name = n ? `${reference.name} (${n + 1})` : reference.name;
    const own: IReference = { ...reference, kind: 'output', name, at };
    return 'text' in group
      ? referenceAttachment(own, cutMiddle(group.text, TEXT_LIMIT, group.gaps))
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
        readEnds(isMultiline(output.text) ? output.text : '', part =>
          overwritten(withoutCodes(part))
        )
      );
    case 'error':
      return textPiece(errorText(output));
    case 'display_data':
    case 'execute_result':
    case 'update_display_data':
      return isObject(output.data) ? bundlePieces(output.data) : [];
    default:
      return textPiece(
        whole(`(an output of type ${String(output.output_type)})`)
      );
  }
}

/** An error with its name, its value and the traceback. */
function errorText({ ename, evalue, traceback }: IOutput): IPartly {
  const name = plain([ename, evalue].map(asText).filter(Boolean).join(': '));
  const lines = Array.isArray(traceback)
    ? trimPartly(plain(traceback.map(asText).join('\n')))
    : whole('');
  const last = name.text.split('\n', 1)[0];
  return lines.text.includes(last)
    ? lines
    : joinPartly(
        [name, lines].filter(({ text }) => text),
        '\n'
      );
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
  const found = bundleText(data);
  const names = named.map(type => whole(`(an output of type ${type})`));
  return textPiece(
    joinPartly([...(found.text ? [found] : []), ...names], '\n')
  );
}

/** The text of HTML with tables; null if there is none. */
function tableOf(data: Record<string, unknown>): IPartly | null {
  const html = data['text/html'];
  // Parsing is for what can have a table.
  if (!isMultiline(html) || !hasTable(html)) {
    return null;
  }
  const found = htmlText(html);
  return found.hasTable && found.text ? found : null;
}

/** Whether HTML has a table, as far as it is read. */
function hasTable(html: string | string[]): boolean {
  const { head, tail } = endsOf(html, HTML_LIMIT);
  return [head, tail].some(part => /<table/i.test(part));
}

function bundleText(data: Record<string, unknown>): IPartly {
  const found = TEXTS.map(type => data[type])
    .filter(isMultiline)
    .map(value => plain(value))
    .find(({ text }) => text.trim() && !EMPTY_TEXT.test(text.trim()));
  if (found !== undefined) {
    return found;
  }
  const html = data['text/html'];
  if (isMultiline(html)) {
    const found = htmlText(html);
    return found.text
      ? found
      : whole('(an output of type text/html without text)');
  }
  if ('image/svg+xml' in data) {
    return whole('(an output of type image/svg+xml)');
  }
  const text = data['text/plain'];
  return isMultiline(text) ? plain(text) : whole('');
}

/** A bitmap; null if the data is not what its type says, cut off, or too large. */
function readImage(value: unknown, type: string): Piece | null {
  if (!isMultiline(value) || sizeOf(value) > IMAGE_LIMIT) {
    return null;
  }
  const text = joinLines(value).replace(/\s/g, '');
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

function textPiece({ text, gaps }: IPartly): Piece[] {
  const seen = text.trimEnd();
  const kept = gaps.map(({ at, count }) => ({
    at: Math.min(at, seen.length),
    count
  }));
  return seen ? [{ text: seen, gaps: kept }] : [];
}

function plain(value: string | string[]): IPartly {
  return readEnds(value, withoutCodes);
}

/** A text that is not long. */
function whole(text: string): IPartly {
  return { text, gaps: [] };
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
