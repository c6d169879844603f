/**
 * Which notebook a chat is about: `turnbook.about` in the chat, a path on the server.
 */
import { CHAT_EXTENSION } from './chatfile';
import { isObject } from '../base/json';

/** The notebook that a chat's entry names; null if it names none. */
export function aboutOf(entry: unknown): string | null {
  const about = isObject(entry) ? entry.about : undefined;
  return typeof about === 'string' && about ? about : null;
}

/** The path of the chat about a notebook or another file, beside it. */
export function chatBeside(path: string): string {
  return path.replace(/\.ipynb$/, '') + CHAT_EXTENSION;
}

/**
 * Whether the chat beside a notebook is about it.
 *
 * It is also if it names none, or one of the same name elsewhere: then the folder was moved or copied
 * where nobody saw it.
 */
export function isChatOf(entry: unknown, notebook: string): boolean {
  const about = aboutOf(entry);
  return about === null || nameOf(about) === nameOf(notebook);
}

/** A path after a file or folder was renamed. */
export function renamedPath(path: string, from: string, to: string): string {
  return path === from || path.startsWith(`${from}/`)
    ? to + path.slice(from.length)
    : path;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
