/** Which of a pair's attachments are sent, as a version of it says. */
import type { IOutput } from '@jupyterlab/nbformat';

import { isAttachment, readAttachments } from './attachments';
import { withSent } from './sentmark';

/** A pair's parts with the attachments sent that have these hashes, and no others. */
export function withSentFiles(
  parts: readonly IOutput[],
  hashes: readonly string[] = []
): IOutput[] {
  const files = parts.map(part =>
    isAttachment(part) ? readAttachments([part])[0] : null
  );
  const left = [...hashes];
  const chosen = new Set<number>();
  // The same file may be attached twice; those that are sent come first.
  for (const wanted of [true, false]) {
    files.forEach((file, place) => {
      const at = file?.isSent === wanted ? left.indexOf(file.sha256) : -1;
      if (file?.isThere && at !== -1) {
        left.splice(at, 1);
        chosen.add(place);
      }
    });
  }
  return parts.map((part, place) => {
    const file = files[place];
    const isSent = chosen.has(place);
    // What is not there cannot have been sent; its mark is not ours to change.
    return !file?.isThere || file.isSent === isSent
      ? part
      : withSent(part, isSent);
  });
}
