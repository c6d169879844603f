import * as React from 'react';

import { trans } from '../base/words';
import { PairCell } from '../chat/cells/cell';
import type { ChatPanel } from '../chat/panel';
import { OPEN_EVENT, showAttachment } from '../chat/referencepreview';
import { sentAttachments, type IAttachment } from '../document/attachments';
import { hasLock } from '../document/lock';
import { Pair } from '../document/pair';
import { updateReference } from '../document/updatereference';
import { isSnapshot, type ISnapshot, type ReferenceSources } from './sources';
import { SourceView, type IUpdate } from './sourceview';

/** Show the references of a chat's messages beside what their sources are now. */
export function openReferences(
  panel: ChatPanel,
  sources: ReferenceSources
): void {
  panel.node.addEventListener(OPEN_EVENT, event => {
    const { detail: file } = event as CustomEvent<IAttachment>;
    const node = event.target as Node;
    const { composer } = panel;
    const pair = panel.content.widgets.find(
      (cell): cell is PairCell =>
        cell instanceof PairCell && cell.node.contains(node)
    );
    const isDraft = composer.node.contains(node);
    if (!(pair || isDraft) || !isSnapshot(file)) {
      return;
    }
    event.preventDefault();
    const shown = showAttachment(
      file,
      <SourceView
        file={file}
        now={sources.current(file, panel)}
        read={sources.canRead(file) ? () => sources.read(file) : null}
        update={pair ? pairUpdate(panel, pair, file) : draftUpdate(panel, file)}
      />
    );
    if (isDraft) {
      // Another snapshot is another chip.
      void shown.then(() => node.isConnected || composer.focus());
    }
  });
}

/** Updates a reference of a pair. */
function pairUpdate(
  panel: ChatPanel,
  { model: { id } }: PairCell,
  { sha256 }: ISnapshot
): IUpdate {
  const notebook = panel.model!.sharedModel;
  return {
    hint: trans.__(
      'Put what it is now into the message; what was sent stays as a version. Nothing is sent.'
    ),
    run: hasLock(notebook)
      ? null
      : next => {
          const found = Pair.find(notebook, id);
          if (!found || !updateReference(notebook, found, sha256, next)) {
            return {
              isDone: false,
              words: trans.__(
                'Not updated: a reply is in progress. Try again when it is complete.'
              )
            };
          }
          const isSent = sentAttachments(found.parts).some(
            one => one.sha256 === next.sha256
          );
          return {
            isDone: true,
            words: isSent
              ? trans.__(
                  'Updated. What was sent before is a version of the message. Nothing was sent.'
                )
              : trans.__('Updated. It is still not sent.')
          };
        }
  };
}

/** Updates a reference of the message being written. */
function draftUpdate({ composer }: ChatPanel, file: ISnapshot): IUpdate {
  return composer.isLocked
    ? {
        hint: trans.__('This message is paused, or waits to be sent.'),
        run: null
      }
    : {
        hint: trans.__('Put what it is now into the message. Nothing is sent.'),
        run: next => {
          const problem = composer.attaching.update(file, next);
          return {
            isDone: problem === null,
            words: problem ?? trans.__('Updated. Nothing was sent.')
          };
        }
      };
}
