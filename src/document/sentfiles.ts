/** Which of a pair's attachments are sent, as a version of it says. */
import type { IOutput } from '@jupyterlab/nbformat';

import { isAttachment, readAttachments } from './attachments';
import { withSent } from './sentmark';

/** A pair's parts with the attachments sent that have these hashes, and no others. */
export function withSentFiles(
  parts: readonly IOutput[],
  hashes: readonly string[] = []
): IOutput[] {
  return parts.map(part => {
    const [file] = isAttachment(part) ? readAttachments([part]) : [];
    const isSent = !!file && hashes.includes(file.sha256);
    // What is not there cannot have been sent; its mark is not ours to change.
    return !file?.isThere || file.isSent === isSent
      ? part
      : withSent(part, isSent);
  });
}
