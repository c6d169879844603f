import { expect } from '@playwright/test';

import {
  chatErrors,
  type INotebookLike
} from '../../src/document/__tests__/chatschema';

/** Expect that a notebook's Turnbook metadata matches its schemas. */
export function expectValid(notebook: INotebookLike): void {
  const entry = notebook.metadata.turnbook as { format?: unknown } | undefined;
  if (typeof entry?.format === 'number' && entry.format > 1) {
    // A newer format has its own schemas; such a file is only kept unchanged.
    return;
  }
  expect(chatErrors(notebook), 'the file breaks its schemas').toEqual([]);
}
