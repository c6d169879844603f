/** Keeps images out of what is sent, for a model that takes none. */
import type { ISharedNotebook } from '@jupyter/ydoc';
import type { IOutput } from '@jupyterlab/nbformat';

import { isAttachment, kindOf, readAttachments, withSent } from './attachments';
import { Pair } from './pair';

/** Do not send the images that are attached to pairs; they stay in the document. */
export function withholdImages(
  notebook: ISharedNotebook,
  pairs: ReadonlySet<string>
): void {
  notebook.transact(() => {
    for (const pair of Pair.all(notebook)) {
      const { parts } = pair;
      if (pairs.has(pair.id) && parts.some(isSentImage)) {
        const withheld = parts.map(part =>
          isSentImage(part) ? withSent(part, false) : part
        );
        const all = parts.map((_, place) => place).reverse();
        pair.changeParts(all, withheld);
      }
    }
  }, false);
}

function isSentImage(output: IOutput): boolean {
  const [file] = isAttachment(output) ? readAttachments([output]) : [];
  return !!file?.isThere && file.isSent && kindOf(file) === 'image';
}
