import { expect } from '@playwright/test';

import {
  chatErrors,
  type INotebookLike
} from '../../src/document/__tests__/chatschema';

/** Expect that a notebook's Turnbook metadata follows its schemas. */
export function expectValid(notebook: INotebookLike): void {
  const entry = notebook.metadata.turnbook as { format?: unknown } | undefined;
  if (typeof entry?.format === 'number' && entry.format > 1) {
    // A newer format has schemas of its own; such a file is only kept as it is.
    return;
  }
  expect(chatErrors(notebook), 'the file breaks its schemas').toEqual([]);
}
