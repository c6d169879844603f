/** The references in a record: where each was frozen, and whether it is what was frozen. */
import type { ICell, IOutput } from '@jupyterlab/nbformat';

import { isObject } from '../../base/json';
import type { IMessage } from '../../base/message';
import { trans } from '../../base/words';
import {
  attachmentOutput,
  contentHash,
  isAttachment,
  readAttachments,
  readContent,
  type IAttachment
} from '../../document/attachments';
import {
  readReference,
  writeReference,
  type IReference
} from '../../document/references';
import type { IRecordReference } from './record';

/** Finds what is attached to the message of a cell; null is the message being written. */
export type Attached = (cell: string | null) => readonly IAttachment[];

/**
 * The references that messages carry as the chat has them, with their sources. One whose text was
 * edited in the chat's file keeps the hash that it was frozen with, so that checking it says so.
 */
export function recordReferences(
  sections: readonly { message: IMessage; cell: string | null }[],
  attached: Attached
): IRecordReference[] {
  return sections.flatMap(({ message: { role, content }, cell }, message) => {
    const parts = role === 'user' ? attachmentsOf(content) : [];
    const known = parts.length ? attached(cell) : [];
    return parts.flatMap(({ sha256: hash }, part) => {
      const found =
        known.find(one => one.reference && one.sha256 === hash) ??
        known.find(one => one.reference && contentHash(one) === hash);
      return found
        ? [
            {
              message,
              part,
              sha256: found.sha256,
              ...writeReference(found.reference!)
            }
          ]
        : [];
    });
  });
}

/** What is wrong with the references of a record, as texts for the user. */
export function referenceProblems(
  messages: readonly IMessage[],
  references: readonly IRecordReference[]
): string[] {
  return references.flatMap(({ message, part, name, sha256 }) => {
    const found = attachmentsOf(messages[message]?.content)[part];
    if (!found) {
      return [
        trans.__(
          'Message %1 does not have the reference %2.',
          message + 1,
          name
        )
      ];
    }
    return found.sha256 === sha256
      ? []
      : [
          trans.__(
            'The reference %1 in message %2 does not match its hash: it is %3, the record says %4.',
            name,
            message + 1,
            found.sha256,
            sha256
          )
        ];
  });
}

/** Whether a value from a file has the form of a record's references. */
export function areRecordReferences(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      one =>
        isObject(one) &&
        [one.message, one.part].every(
          place => Number.isSafeInteger(place) && (place as number) >= 0
        ) &&
        [one.name, one.kind, one.sha256].every(text => typeof text === 'string')
    )
  );
}

/**
 * Give the attachments of a cell the sources that a record knows.
 *
 * @param references - Those of the cell's first message.
 */
export function restoreSources(
  cell: ICell,
  references: readonly IRecordReference[]
): void {
  if (!references.length || !Array.isArray(cell.outputs)) {
    return;
  }
  const sources = new Map<string, IReference>();
  for (const one of references) {
    const source = readReference(one);
    if (source) {
      sources.set(one.sha256, source);
    }
  }
  cell.outputs = (cell.outputs as IOutput[]).map(output => {
    const [attachment] = isAttachment(output) ? readAttachments([output]) : [];
    const reference = attachment && sources.get(attachment.sha256);
    return reference
      ? attachmentOutput({ ...attachment, name: reference.name, reference })
      : output;
  });
}

function attachmentsOf(content: IMessage['content']): readonly IAttachment[] {
  return readContent(content)?.attachments ?? [];
}
