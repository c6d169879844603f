/**
 * The notebook's own entry: which chat it is, where it comes from, and the options of its requests.
 *
 * It is untrusted. What a newer version wrote next to our keys stays. Changes are never undo steps.
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

/** The chat info of a notebook; null if it is not a chat. */
export function chatInfo(notebook: ISharedNotebook): IChatInfo | null {
  return readChatInfo(chatEntry(notebook));
}

/** Write the chat info of a notebook, with further entries. */
export function setChatInfo(
  notebook: ISharedNotebook,
  info: IChatInfo,
  more: PartialJSONObject = {}
): void {
  const before = chatEntry(notebook);
  write(notebook, { ...(isObject(before) ? before : {}), ...info, ...more });
}

/** What in a notebook cannot be read, as texts for a banner. */
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

/** Change an entry; it stays if it cannot be read, or if `change` returns it unchanged. */
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
