/**
 * The notebook's own entry: which chat it is, where it comes from, what its requests say.
 *
 * Anybody may have written it. What a newer version wrote beside our keys stays. It is never a
 * step of undo.
 */
import type { ISharedNotebook } from '@jupyter/ydoc';
import type { PartialJSONObject } from '@lumino/coreutils';

import { isObject } from '../base/json';
import {
  KEYS,
  problems,
  readChatInfo,
  type IChatInfo,
  type IProblem
} from './metadata';

/** The entry as it is stored; undefined if there is none. */
export function chatEntry(notebook: ISharedNotebook): unknown {
  return notebook.getMetadata(KEYS.notebook);
}

/** The entry of a notebook as a file has it. */
export function fileEntry(file: unknown): unknown {
  const metadata = isObject(file) ? file.metadata : undefined;
  return isObject(metadata) ? metadata[KEYS.notebook] : undefined;
}

/** What a notebook says of itself as a chat; null if it is none. */
export function chatInfo(notebook: ISharedNotebook): IChatInfo | null {
  return readChatInfo(chatEntry(notebook));
}

/** Say which chat a notebook is, and what else is given. */
export function setChatInfo(
  notebook: ISharedNotebook,
  info: IChatInfo,
  more: PartialJSONObject = {}
): void {
  const before = chatEntry(notebook);
  write(notebook, { ...(isObject(before) ? before : {}), ...info, ...more });
}

/** What in a notebook cannot be read, in words for a banner. */
export function problemsOf(notebook: ISharedNotebook): IProblem[] {
  return problems(
    chatEntry(notebook),
    notebook.cells.map(cell => ({
      id: cell.getId(),
      run: cell.getMetadata(KEYS.run),
      marks: cell.getMetadata(KEYS.marks),
      messages: cell.getMetadata(KEYS.messages)
    }))
  );
}

/** Change an entry; one that cannot be read, or that is answered as it is, stays. */
export function changeChatEntry(
  notebook: ISharedNotebook,
  change: (entry: PartialJSONObject) => PartialJSONObject
): void {
  const before = chatEntry(notebook);
  const after = isObject(before) ? change(before) : before;
  if (isObject(after) && after !== before) {
    write(notebook, after);
  }
}

function write(notebook: ISharedNotebook, entry: PartialJSONObject): void {
  notebook.transact(() => notebook.setMetadata(KEYS.notebook, entry), false);
}
