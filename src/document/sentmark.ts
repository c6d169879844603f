/**
 * The mark of an output that is not sent: `turnbook.sent` in its metadata is `false`.
 */
import type { IOutput } from '@jupyterlab/nbformat';
import type { PartialJSONObject } from '@lumino/coreutils';

import { isObject } from '../base/json';

/** Whether an output is marked as not sent; nothing but `false` is such a mark. */
export function isWithheld(output: IOutput): boolean {
  return entryOf(output).sent === false;
}

/** An output with or without that mark; everything else stays. */
export function withSent(
  output: IOutput,
  isSent: boolean
): IOutput & { metadata: PartialJSONObject } {
  const { turnbook: _, ...rest } = metadataOf(output);
  const { sent: __, ...entry } = entryOf(output);
  const next = isSent ? entry : { ...entry, sent: false };
  const metadata = Object.keys(next).length
    ? { ...rest, turnbook: next }
    : rest;
  return { ...output, metadata };
}

function metadataOf(output: IOutput): PartialJSONObject {
  const metadata: unknown = output.metadata;
  return isObject(metadata) ? metadata : {};
}

function entryOf(output: IOutput): PartialJSONObject {
  const { turnbook } = metadataOf(output);
  return isObject(turnbook) ? turnbook : {};
}
