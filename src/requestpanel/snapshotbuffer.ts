/** The text of a Session Snapshot while it is being edited. */

/** A text and the snapshot that it started from. */
export interface ISnapshotBuffer {
  readonly text: string;
  /** The snapshot that the text started from. */
  readonly base: string;
}

/** Whether the user changed the text. */
export function isWritten(buffer: ISnapshotBuffer): boolean {
  return buffer.text !== buffer.base;
}

/**
 * The buffer after the request was rendered again: an unchanged text follows, a changed one stays.
 */
export function followed(
  buffer: ISnapshotBuffer | null,
  captured: string
): ISnapshotBuffer {
  if (buffer && (isWritten(buffer) || buffer.base === captured)) {
    return buffer;
  }
  return { text: captured, base: captured };
}
