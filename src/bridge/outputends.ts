/** Which of very many outputs are read. */
import type { IOutput } from '@jupyterlab/nbformat';

import { isObject } from '../base/json';
import { IMAGE_TYPES } from '../document/attachments';
import { isMultiline } from '../document/multiline';
import { READ_LIMIT, sizeOf } from './cuttext';

/** How many characters of texts that follow each other are read before those in the middle are not. */
const LIMIT = 2 * READ_LIMIT;

/**
 * Outputs without those in the middle of texts that are very long together. In the place of these is
 * the number of their characters.
 */
export function endsOfOutputs(
  outputs: readonly IOutput[]
): (IOutput | number)[] {
  const kept: (IOutput | number)[] = [];
  let texts: IOutput[] = [];
  const flush = () => {
    kept.push(...endsOfTexts(texts));
    texts = [];
  };
  for (const output of outputs) {
    if (hasImage(output)) {
      flush();
      kept.push(output);
    } else {
      texts.push(output);
    }
  }
  flush();
  return kept;
}

function endsOfTexts(texts: readonly IOutput[]): (IOutput | number)[] {
  const sizes = texts.map(textSize);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  let [from, to] = [0, texts.length];
  if (total > LIMIT) {
    for (let read = 0; from < to && read < LIMIT / 2; from++) {
      read += sizes[from];
    }
    for (let read = 0; from < to && read < LIMIT / 2; to--) {
      read += sizes[to - 1];
    }
  }
  if (total <= LIMIT || from === to) {
    return [...texts];
  }
  const gone = sizes.slice(from, to).reduce((sum, size) => sum + size, 0);
  return [...texts.slice(0, from), gone, ...texts.slice(to)];
}

function hasImage({ data }: IOutput): boolean {
  return isObject(data) && IMAGE_TYPES.some(type => type in data);
}

/** How many characters of an output may be read. */
function textSize({ data, text, traceback, evalue }: IOutput): number {
  const values = [
    text,
    traceback,
    evalue,
    ...(isObject(data) ? Object.values(data) : [])
  ];
  return values
    .filter(isMultiline)
    .reduce((sum, value) => sum + sizeOf(value), 0);
}
