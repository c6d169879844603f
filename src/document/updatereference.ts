/** A newer snapshot of what a pair refers to. */
import type { ISharedNotebook } from '@jupyter/ydoc';
import type { IOutput } from '@jupyterlab/nbformat';

import {
  attachmentOutput,
  isAttachment,
  readAttachments,
  type IAttachment
} from './attachments';
import { isUnderWay } from './lifecycle';
import type { Pair } from './pair';
import { frozenText } from './references';
import { isWithheld, withSent } from './sentmark';
import { withoutVersion } from './versionlist';
import { currentVersion, saveVersion } from './versions';

/** Whether two snapshots have the same content, whatever they are called. */
export function isSameSnapshot(a: IAttachment, b: IAttachment): boolean {
  const [one, other] = [frozenText(a.data), frozenText(b.data)];
  return a.type === b.type && one !== null && other !== null
    ? one === other
    : a.sha256 === b.sha256;
}

/**
 * Put a newer snapshot in the place of an older one; what the pair said before becomes a version.
 *
 * The older snapshot stays in the file, since the version refers to it, but is not sent any more.
 * A snapshot that the user let not be sent is replaced by one that is not sent either, unless that one is
 * sent already. Nothing is sent by itself, and the reply stays. Outside the undo stack, like all versions.
 *
 * Returns whether the newer one is there now: not while a reply is in progress, nor if there is no such
 * snapshot.
 */
export function updateReference(
  notebook: ISharedNotebook,
  pair: Pair,
  hash: string,
  next: IAttachment
): boolean {
  const isOf = (sha256: string) => (part: IOutput) =>
    isAttachment(part) && readAttachments([part])[0].sha256 === sha256;
  const { run, parts } = pair;
  const place = parts.findIndex(isOf(hash));
  if (place === -1 || hash === next.sha256 || (run && isUnderWay(run.state))) {
    return false;
  }
  const isSent = !isWithheld(parts[place]);
  if (
    !isSent &&
    parts.filter(isOf(next.sha256)).some(one => !isWithheld(one))
  ) {
    // It has taken its place before.
    return true;
  }
  const version = saveVersion(notebook, pair);
  const older = version ? [withSent(parts[place], false)] : [];
  const others = parts.slice(place + 1).filter(
    // It may be among those that earlier versions refer to.
    part => !isOf(next.sha256)(part)
  );
  const before = parts.findIndex(isOf(next.sha256));
  notebook.transact(() => {
    pair.changeParts(
      parts
        .map((_, n) => n)
        .slice(place)
        .reverse(),
      [...older, withSent(attachmentOutput(next), isSent), ...others]
    );
    if (before !== -1 && before < place) {
      pair.changeParts([before]);
    }
    const current = currentVersion(pair);
    if (current) {
      // What the pair says again, or still, is no version beside it.
      pair.setVersions(withoutVersion(pair.storedVersions, current));
    }
  }, false);
  return true;
}
