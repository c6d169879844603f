/** Makes a request's bytes readable without changing them. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

import { isObject } from '../base/json';

/** A message of a request as a reader sees it. */
export interface IShownMessage {
  role: string;
  /** Its text; other kinds of parts are shown as JSON. */
  text: string;
  /** What it has besides role and content, such as tool calls. */
  rest: [key: string, value: string][];
}

/** The content of a request's bytes. */
export interface IInspected {
  /** The sha256 of the bytes, computed here. */
  hash: string;
  size: number;
  text: string;
  /** Whether `text` is the bytes exactly; false when they are not UTF-8. */
  exact: boolean;
  /** The messages; null when the bytes are not a request with messages. */
  messages: IShownMessage[] | null;
  /** Everything but the messages. */
  options: [key: string, value: string][];
}

/** Read a request's bytes. Any bytes can be read; those that are not a request have no messages. */
export function inspect(bytes: Uint8Array): IInspected {
  const { text, exact } = decode(bytes);
  const body = parse(text);
  const { messages, ...options } = isObject(body) ? body : {};
  return {
    hash: bytesToHex(sha256(bytes)),
    size: bytes.length,
    text,
    exact,
    messages: Array.isArray(messages) ? messages.map(shownMessage) : null,
    options: Object.entries(options).map(([key, value]) => [key, words(value)])
  };
}

/** The result of comparing hashes. */
export interface IParity {
  agrees: boolean;
  /** The hashes that differ from the one of the bytes. */
  differing: { source: 'cell' | 'server'; hash: string }[];
  /** Whether the cell has a hash to compare with. */
  recorded: boolean;
}

/** Compare the hash of the bytes with the cell's and the server's. */
export function parity(hash: string, cell: string, server: string): IParity {
  const all = [
    { source: 'cell' as const, hash: cell },
    { source: 'server' as const, hash: server }
  ];
  const differing = all.filter(
    one => one.hash !== '' && one.hash.toLowerCase() !== hash
  );
  return { agrees: differing.length === 0, differing, recorded: cell !== '' };
}

/** The beginning of a text, cut without splitting a character. */
export function beginning(text: string, length: number): string {
  return text.slice(0, wholeCharacters(text, length));
}

/** Split a text into pieces that add up to it, without splitting a character. */
export function pieces(text: string, length: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = wholeCharacters(text, at + length);
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts;
}

/** A number of bytes in human-readable form. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) {
    return `${bytes} B`;
  }
  return bytes < 1e6
    ? `${(bytes / 1000).toFixed(1)} kB`
    : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Bytes as text, and whether the text is the bytes exactly. */
export function decode(bytes: Uint8Array): { text: string; exact: boolean } {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const again = new TextEncoder().encode(text);
  const exact =
    again.length === bytes.length &&
    again.every((byte, index) => byte === bytes[index]);
  return { text, exact };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) {
      return null;
    }
    throw error;
  }
}

function shownMessage(value: unknown): IShownMessage {
  if (!isObject(value)) {
    return { role: '', text: words(value), rest: [] };
  }
  const { role, content, ...rest } = value;
  return {
    role: typeof role === 'string' ? role : '',
    text: contentText(content),
    rest: Object.entries(rest).map(([key, item]) => [key, words(item)])
  };
}

function contentText(content: unknown): string {
  if (content === undefined || content === null) {
    return '';
  }
  if (!Array.isArray(content)) {
    return words(content);
  }
  return content
    .map(part =>
      isObject(part) && part.type === 'text' && typeof part.text === 'string'
        ? part.text
        : words(part)
    )
    .join('\n\n');
}

function words(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function wholeCharacters(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}
