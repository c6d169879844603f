import * as React from 'react';

import { PairCell } from '../chat/cells/cell';
import type { ChatPanel } from '../chat/panel';
import { OPEN_EVENT, showAttachment } from '../chat/referencepreview';
import { sentAttachments, type IAttachment } from '../document/attachments';
import { hasLock } from '../document/lock';
import { Pair } from '../document/pair';
import { updateReference } from '../document/updatereference';
import type { ISnapshot, ReferenceSources } from './sources';
import { SourceView } from './sourceview';

/** Show the references of a chat's pairs beside what their sources are now. */
export function openReferences(
  panel: ChatPanel,
  sources: ReferenceSources
): void {
  panel.content.node.addEventListener(OPEN_EVENT, event => {
    const { detail: file } = event as CustomEvent<IAttachment>;
    const pair = panel.content.widgets.find(
      (cell): cell is PairCell =>
        cell instanceof PairCell && cell.node.contains(event.target as Node)
    );
    if (!pair || !isSnapshot(file)) {
      return;
    }
    event.preventDefault();
    const notebook = panel.model!.sharedModel;
    const { id } = pair.model;
    void showAttachment(
      file,
      <SourceView
        file={file}
        now={sources.current(file, panel)}
        read={sources.canRead(file) ? () => sources.read(file) : null}
        update={
          hasLock(notebook)
            ? null
            : next => {
                const found = Pair.find(notebook, id);
                if (
                  !found ||
                  !updateReference(notebook, found, file.sha256, next)
                ) {
                  return null;
                }
                return sentAttachments(found.parts).some(
                  ({ sha256 }) => sha256 === next.sha256
                )
                  ? 'sent'
                  : 'unsent';
              }
        }
      />
    );
  });
}

function isSnapshot(file: IAttachment): file is ISnapshot {
  return file.reference !== undefined;
}
