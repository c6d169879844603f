/**
 * What a request contained before it was edited, for comparisons. It stays in the page, and in the
 * browser's storage if replays are kept; a record never contains it.
 */
import type { PartialJSONValue } from '@lumino/coreutils';

import type { IMessage } from '../../base/message';
import type { IEditedRequest } from '../../request/model';
import { sentSections } from './record';

/** The messages before their edits, by their position among those that are sent. */
export function originalsOf(request: IEditedRequest): Record<number, IMessage> {
  const originals: Record<number, IMessage> = {};
  sentSections(request).forEach(({ edited, original }, index) => {
    if (edited && original) {
      originals[index] = original;
    }
  });
  return originals;
}

/** Whether a request was edited. */
export function isEdited({ sections, editedOptions }: IEditedRequest): boolean {
  return (
    editedOptions.length > 0 ||
    sections.some(({ edited, deleted, added }) => edited || deleted || added)
  );
}

/** The whole request before edits, formatted for reading. */
export function beforeEdits({ base }: IEditedRequest): string {
  const messages = base.sections.map(({ message }) => message);
  return JSON.stringify({ ...base.frame, messages }, null, 2);
}

/** A payload, formatted for reading. */
export function readable(payload: string): string {
  return JSON.stringify(JSON.parse(payload) as PartialJSONValue, null, 2);
}
