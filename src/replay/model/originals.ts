/**
 * What a request said before it was edited, for comparisons. It stays in the page, and in the
 * browser's storage if replays are kept; a record never has it.
 */
import type { PartialJSONValue } from '@lumino/coreutils';

import type { IMessage } from '../../base/message';
import type { IEditedRequest } from '../../request/model';
import { sentSections } from './record';

/** The messages before their edits, by their place among those that are sent. */
export function originalsOf(request: IEditedRequest): Record<number, IMessage> {
  const originals: Record<number, IMessage> = {};
  sentSections(request).forEach(({ edited, original }, index) => {
    if (edited && original) {
      originals[index] = original;
    }
  });
  return originals;
}

/** Whether a request differs from what it was before. */
export function isEdited({ sections, editedOptions }: IEditedRequest): boolean {
  return (
    editedOptions.length > 0 ||
    sections.some(({ edited, deleted, added }) => edited || deleted || added)
  );
}

/** The whole request before the edits, laid out to be read. */
export function beforeEdits({ base }: IEditedRequest): string {
  const messages = base.sections.map(({ message }) => message);
  return JSON.stringify({ ...base.frame, messages }, null, 2);
}

/** A payload laid out to be read. */
export function readable(payload: string): string {
  return JSON.stringify(JSON.parse(payload) as PartialJSONValue, null, 2);
}
