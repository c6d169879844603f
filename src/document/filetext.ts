import type { INotebookContent } from '@jupyterlab/nbformat';
import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

import { isObject } from '../base/json';
import { isMultiline, joinLines } from './multiline';

const CELL_TYPES = new Set<unknown>(['code', 'markdown', 'raw']);
const CELL_ID = /^[\w-]{1,64}$/;

/** What may be in a file, but is never read: what a server or another version noted. */
const TRANSIENT = ['orig_nbformat', 'orig_nbformat_minor', 'signature'];

/** How deep what is in a file may be nested; nbformat cannot write what is nested deeper than 490 levels. */
const MOST_LEVELS = 100;

/**
 * The notebook that the text of a file has, as a Jupyter server gives it to a page, but with no mark
 * where a cell is not trusted; null for what the server would convert, repair or refuse.
 *
 * The server checks each cell against the schema of notebooks before it answers, which takes most of
 * the time until a long chat is open. Whoever reads a chat checks what it needs, and each save is
 * checked by the server as before.
 *
 * None of its cells is trusted: what the file says of that counts for nothing.
 */
export function notebookIn(text: string): INotebookContent | null {
  let notebook: PartialJSONValue;
  try {
    notebook = JSON.parse(text);
  } catch {
    // The server says what is wrong, or restores what it wrote before.
    return null;
  }
  if (
    !isObject(notebook) ||
    notebook.nbformat !== 4 ||
    notebook.nbformat_minor !== 5 ||
    !isObject(notebook.metadata) ||
    !Array.isArray(notebook.cells) ||
    isDeeper(notebook, MOST_LEVELS)
  ) {
    return null;
  }
  const ids = new Set<unknown>();
  for (const cell of notebook.cells) {
    if (!isObject(cell) || !isPlainCell(cell) || ids.has(cell.id)) {
      return null;
    }
    ids.add(cell.id);
    joinTexts(cell);
    delete (cell.metadata as PartialJSONObject).trusted;
  }
  for (const key of TRANSIENT) {
    delete notebook.metadata[key];
  }
  return notebook as unknown as INotebookContent;
}

/** Mark the cells of a notebook as a server does if it trusts the notebook. */
export function trustCells({ cells }: INotebookContent): void {
  for (const cell of cells) {
    if (cell.cell_type === 'code') {
      cell.metadata.trusted = true;
    }
  }
}

/** Lists of what is in each object would take most of the time. */
function isDeeper(value: object, levels: number): boolean {
  if (!levels) {
    return true;
  }
  if (Array.isArray(value)) {
    for (const inner of value as unknown[]) {
      if (hasLevels(inner) && isDeeper(inner, levels - 1)) {
        return true;
      }
    }
    return false;
  }
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    if (hasLevels(inner) && isDeeper(inner, levels - 1)) {
      return true;
    }
  }
  return false;
}

function hasLevels(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isPlainCell(cell: PartialJSONObject): boolean {
  const { attachments = {}, cell_type, id, metadata, outputs, source } = cell;
  return (
    CELL_TYPES.has(cell_type) &&
    typeof id === 'string' &&
    CELL_ID.test(id) &&
    isObject(metadata) &&
    isMultiline(source) &&
    isObject(attachments) &&
    Object.values(attachments).every(isObject) &&
    (cell_type !== 'code' ||
      (Array.isArray(outputs) && outputs.every(isPlainOutput)))
  );
}

function isPlainOutput(output: unknown): boolean {
  if (!isObject(output)) {
    return false;
  }
  const { data, metadata, output_type, text } = output;
  switch (output_type) {
    case 'display_data':
    case 'execute_result':
      return isObject(data) && isObject(metadata);
    case 'stream':
      return isMultiline(text);
    default:
      return output_type === 'error';
  }
}

function joinTexts(cell: PartialJSONObject): void {
  join(cell, 'source');
  for (const bundle of Object.values(cell.attachments ?? {})) {
    joinBundle(bundle as PartialJSONObject);
  }
  if (cell.cell_type === 'code') {
    for (const output of cell.outputs as PartialJSONObject[]) {
      if (output.output_type === 'stream') {
        join(output, 'text');
      } else if (output.output_type !== 'error') {
        joinBundle(output.data as PartialJSONObject);
      }
    }
  }
}

function joinBundle(bundle: PartialJSONObject): void {
  for (const type of Object.keys(bundle)) {
    // A list may be what such a type has.
    if (!/^application\/(json|.*\+json)$/s.test(type)) {
      join(bundle, type);
    }
  }
}

function join(holder: PartialJSONObject, key: string): void {
  const value = holder[key];
  if (Array.isArray(value) && isMultiline(value)) {
    holder[key] = joinLines(value);
  }
}
