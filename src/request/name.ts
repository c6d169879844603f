/** The human-readable name of a request in events, records and snapshots. */
import { PathExt } from '@jupyterlab/coreutils';

import { wellFormed } from '../base/json';

/** How long the title in a name may be. */
const TITLE = 160;

/** A chat's name without its extension. */
export function chatName(path: string): string {
  return PathExt.basename(path).replace(/(\.chat)?\.ipynb$/, '');
}

/** The name of a turn's request: the chat's title and the turn, counted from 1; one line. */
export function debugName(path: string, turn: number): string {
  const title = wellFormed(chatName(path))
    // eslint-disable-next-line no-control-regex
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .trim();
  return `${[...title].slice(0, TITLE).join('') || 'Chat'} · turn ${turn}`;
}

/** The number of a pair's turn, from 1; a pair that is not there yet will be the last. */
export function turnOf(
  cells: readonly { id: string; kind: string; isSpare: boolean }[],
  pair: string
): number {
  const pairs = cells.filter(
    ({ kind, isSpare }) => kind === 'pair' && !isSpare
  );
  const place = pairs.findIndex(({ id }) => id === pair);
  return (place === -1 ? pairs.length : place) + 1;
}
