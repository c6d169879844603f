/** A pair as a file has it, which is untrusted. */
import type { IOutput, MultilineString } from '@jupyterlab/nbformat';
import type { PartialJSONObject } from '@lumino/coreutils';

import { isObject } from '../base/json';
import { KEYS, readRunInfo } from './metadata';
import { joinLines } from './multiline';
import type { Pair } from './pair';
import { readVersions } from './versionlist';

/** What can be read of a pair in a file. */
export type FilePair = Pick<
  Pair,
  'source' | 'run' | 'parts' | 'versions' | 'storedMessages'
>;

/** Read a pair's cell. */
export function filePair(cell: {
  source: MultilineString;
  metadata: PartialJSONObject;
  outputs?: readonly IOutput[];
}): FilePair {
  const { source, metadata, outputs = [] } = cell;
  const messages = metadata[KEYS.messages];
  return {
    source: joinLines(source),
    run: readRunInfo(metadata[KEYS.run]),
    parts: [...outputs],
    versions: readVersions(metadata[KEYS.versions]),
    storedMessages: isObject(messages) ? messages : undefined
  };
}
