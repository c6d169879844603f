/** Attachments of which a file that was edited by hand has no content. */
import type { ISharedNotebook } from '@jupyter/ydoc';

import { isAttachment, readAttachments } from './attachments';
import { Pair } from './pair';
import { withSent } from './sentmark';
import { undoStep } from './undostep';

/** An attachment without content. */
export interface IMissingFile {
  pair: string;
  /** The index of its output. */
  place: number;
  name: string;
}

/** The attachments of pairs that the user wants sent, and that are not there. */
export function missingFiles(
  notebook: ISharedNotebook,
  pairs: ReadonlySet<string | null>
): IMissingFile[] {
  return Pair.all(notebook).flatMap(({ id, parts }) =>
    pairs.has(id)
      ? parts.flatMap((part, place) => {
          const [file] = isAttachment(part) ? readAttachments([part]) : [];
          return file && !file.isThere && file.isSent
            ? [{ pair: id, place, name: file.name }]
            : [];
        })
      : []
  );
}

/** Mark attachments as not sent, as one step of undo. */
export function withholdMissing(
  notebook: ISharedNotebook,
  files: readonly IMissingFile[]
): void {
  undoStep(notebook, () => {
    for (const { pair, place } of files) {
      const found = Pair.find(notebook, pair);
      const part = found?.parts[place];
      if (found && part) {
        const { metadata } = withSent(part, false);
        found.updatePart(place, { metadata });
      }
    }
  });
}
