/**
 * What a message can refer to: a cell, an output, a variable and so on, frozen when it was chosen.
 *
 * What is sent is the frozen text, in one form. The source is named only to find it again; it is
 * never read to build a request.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

import { isObject, wellFormed } from '../base/json';
import type { IAttachment } from './attachments';
import { readSibling, type ISiblingMark } from './siblingmark';

/** The MIME type of outputs with a text file or another reference. */
export const REFERENCE_MIME = 'application/vnd.turnbook.reference+json';

/** What a reference can be of. */
export type ReferenceKind =
  'cell' | 'output' | 'variable' | 'file' | 'selection' | 'pair';

/** Where a frozen text or image comes from. */
export interface IReference extends Partial<ISiblingMark> {
  kind: ReferenceKind;
  /** The path of the notebook or file on the server; empty if it is not known. */
  path: string;
  /** What the chip says, such as `analysis.ipynb · cell 4`. */
  name: string;
  /** The id of the cell or of the pair; with `group` and `sibling`, of one of its replies alone. */
  cellId?: string;
  /** When it was frozen, in milliseconds since 1970; 0 if that is not known. */
  at: number;
  /** The language of the text, for the fence. */
  language?: string;
}

/** The first word of what is sent, for each kind. The model reads them, so they are not translated. */
const HEADS: Readonly<Record<ReferenceKind, string>> = {
  cell: 'Cell',
  output: 'Output',
  variable: 'Variable',
  file: 'File',
  selection: 'Selection',
  pair: 'Earlier message'
};

const KINDS = Object.keys(HEADS) as ReferenceKind[];

const LANGUAGE = /^[\p{L}\p{N}_+#.-]{1,40}$/u;

/** Longer names are cut in the middle; longer paths and ids are no references. */
const NAME_LENGTH = 200;
const PATH_LENGTH = 4096;

/** Where what is sent has its parts: the first line, then the text in a fence. */
const FORM = new RegExp(
  `^(${Object.values(HEADS).join('|')}): (.+)\\n\\n(\`{3,})(?!\`)(.*)\\n`
);

/** An attachment with a frozen text; `data` is the text in the one fixed form in which it is sent. */
export function referenceAttachment(
  reference: IReference,
  text: string
): IAttachment & { reference: IReference } {
  if (!isKind(reference.kind)) {
    // Other extensions may not check their types.
    throw new Error(
      `A reference cannot be of the kind ${String(reference.kind)}. The kinds are: ${KINDS.join(', ')}.`
    );
  }
  const clean = cleanReference(reference);
  const frozen = wellFormed(text);
  const data = referenceText(clean, frozen);
  return {
    type: REFERENCE_MIME,
    name: clean.name,
    data,
    sha256: textHash(data),
    size: utf8ToBytes(frozen).length,
    reference: clean
  };
}

/** A reference under a name with its folder, for one that is called like another; any other file as it is. */
export function withFolder(file: IAttachment): IAttachment {
  const { reference, data, name } = file;
  const { path = '' } = reference ?? {};
  const [folder, base] = placeOf(path);
  if (!reference || !path || !name.startsWith(base)) {
    return file;
  }
  const named = { ...reference, name: `${folder}${name}` };
  const text = frozenText(data);
  return text === null
    ? { ...file, name: named.name, reference: named }
    : referenceAttachment(named, text);
}

/** A file among others: with its folder if one of them is called like it. */
export function namedAmong(
  files: readonly IAttachment[],
  file: IAttachment
): IAttachment {
  const isTwin = files.some(
    ({ name, reference }) =>
      name === file.name &&
      reference &&
      file.reference &&
      reference.path !== file.reference.path
  );
  return isTwin ? withFolder(file) : file;
}

/** A newer snapshot under a name with its folder, if the older one has such a name. */
export function namedLike(older: IAttachment, next: IAttachment): IAttachment {
  const hasFolder = older.name.startsWith(
    placeOf(older.reference?.path ?? '').join('')
  );
  return hasFolder ? withFolder(next) : next;
}

/** The folder that a name begins with, and the rest of a path. */
function placeOf(path: string): [string, string] {
  const place = path.lastIndexOf('/') + 1;
  return [path.slice(0, place) || './', path.slice(place)];
}

/** The hash of a text as it is sent. */
export function textHash(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** Whether something that another extension made is a reference. */
export function isReference(value: unknown): value is IReference {
  const { kind, path, name, cellId = '', at } = isObject(value) ? value : {};
  const texts = [path, name, cellId];
  return (
    isKind(kind) &&
    texts.every(text => typeof text === 'string') &&
    typeof at === 'number'
  );
}

/** A frozen text as it is sent. */
export function referenceText(
  reference: Pick<IReference, 'kind' | 'name' | 'language'>,
  text: string
): string {
  const { kind, name, language = '' } = reference;
  const runs = text.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(
    runs.reduce((length, run) => Math.max(length, run.length + 1), 3)
  );
  return `${HEADS[kind]}: ${name}\n\n${fence}${language}\n${text}\n${fence}`;
}

/** The frozen text in what is sent; null if it has another form. */
export function frozenText(data: string): string | null {
  const [start, , , fence] = FORM.exec(data) ?? [];
  const end = `\n${fence}`;
  return start && data.length >= start.length + end.length && data.endsWith(end)
    ? data.slice(start.length, -end.length)
    : null;
}

/** The text file or reference that a text begins with, as it is sent; null if there is none. */
export function firstReference(text: string): string | null {
  const [start, , , fence] = FORM.exec(text) ?? [];
  if (!start) {
    return null;
  }
  // No fence in it is as long.
  const end = text.indexOf(`\n${fence}`, start.length);
  const after = end + 1 + fence.length;
  return end !== -1 && /^(?:\n\n|$)/.test(text.slice(after, after + 2))
    ? text.slice(0, after)
    : null;
}

/** What is known of a reference from what is sent alone; null if it has another form. */
export function readReferenceText(
  data: string
): { name: string; data: string; reference?: IReference } | null {
  const [, head, name, , language] = FORM.exec(data) ?? [];
  if (!name || frozenText(data) === null) {
    return null;
  }
  const kind = KINDS.find(one => HEADS[one] === head)!;
  const reference = readReference({ kind, name, language });
  return { name, data, ...(reference ? { reference } : {}) };
}

/**
 * Read a reference from a file, which may contain anything.
 *
 * @returns undefined if it is none, or a text file whose source is not known.
 */
export function readReference(value: unknown): IReference | undefined {
  const { kind, path, name, cellId, at, language } = isObject(value)
    ? value
    : {};
  if (!isKind(kind) || !isShort(name)) {
    return undefined;
  }
  const reference: IReference = cleanReference({
    kind,
    path: isShort(path) ? path : '',
    name,
    at: typeof at === 'number' ? at : 0,
    ...(isShort(cellId) ? { cellId } : {}),
    ...readSibling(value),
    ...(isShort(language) ? { language } : {})
  });
  return kind === 'file' && !reference.path ? undefined : reference;
}

/** A reference as a file has it: without what is not known. */
export type StoredReference = Pick<IReference, 'kind' | 'name'> &
  Partial<IReference>;

/** Write a reference for a file. */
export function writeReference(reference: IReference): StoredReference {
  const { kind, path, name, cellId, at, language } = cleanReference(reference);
  return {
    kind,
    ...(path ? { path } : {}),
    name,
    ...(cellId ? { cellId } : {}),
    ...readSibling(reference),
    ...(at ? { at } : {}),
    ...(language ? { language } : {})
  };
}

/** A reference with a name on one line, and without what cannot be stored. */
function cleanReference(reference: IReference): IReference {
  const { kind, path, name, cellId, at, language } = reference;
  return {
    kind,
    path: wellFormed(path),
    name: cleanName(name),
    ...(cellId ? { cellId: wellFormed(cellId) } : {}),
    ...readSibling(reference),
    at: Number.isSafeInteger(Math.round(at)) ? Math.max(0, Math.round(at)) : 0,
    ...(language && LANGUAGE.test(language) ? { language } : {})
  };
}

/** A name on one line; what is not seen is left out. */
function cleanName(name: string): string {
  const seen = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]+/gu, ' ');
  const letters = [...seen.trim()];
  return letters.length > NAME_LENGTH
    ? `${letters.slice(0, NAME_LENGTH - 21).join('')}…${letters.slice(-20).join('')}`
    : letters.join('') || '?';
}

function isKind(value: unknown): value is ReferenceKind {
  return KINDS.some(kind => kind === value);
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value.length <= PATH_LENGTH;
}
