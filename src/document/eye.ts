/** Keeps a part of a turn out of what is sent, and sends it again. */
import type { ISharedNotebook } from '@jupyter/ydoc';

import type { Pair } from './pair';
import { partsOf } from './parts';
import { withSent } from './sentmark';
import { undoStep } from './undostep';

/**
 * Send a part of a pair from now on, or do not, as one step of undo.
 *
 * @param place - The index of one of its outputs.
 */
export function toggleSent(
  notebook: ISharedNotebook,
  pair: Pair,
  place: number
): void {
  const { parts: outputs } = pair;
  const part = partsOf(outputs).find(({ places }) => places.includes(place));
  if (part?.canChange) {
    undoStep(notebook, () => {
      for (const one of part.places) {
        const { metadata } = withSent(outputs[one], !part.isSent);
        pair.updatePart(one, { metadata });
      }
    });
  }
}
