/** Texts of nbformat, which may be stored as a list of lines. */
import type { MultilineString } from '@jupyterlab/nbformat';

/** Whether an untrusted value is a text as nbformat stores it. */
export function isMultiline(value: unknown): value is MultilineString {
  return (
    typeof value === 'string' ||
    (Array.isArray(value) && value.every(line => typeof line === 'string'))
  );
}

/** The text itself. */
export function joinLines(value: MultilineString): string {
  return typeof value === 'string' ? value : value.join('');
}
