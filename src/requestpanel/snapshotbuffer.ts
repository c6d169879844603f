/**
 * The text of a Session Snapshot while somebody may be writing it.
 */

/** A text, what it was taken from, and whether somebody wrote in it. */
export interface ISnapshotBuffer {
  readonly text: string;
  /** The snapshot that the text began as. */
  readonly base: string;
}

/** Whether somebody wrote in it. */
export function isWritten(buffer: ISnapshotBuffer): boolean {
  return buffer.text !== buffer.base;
}

/**
 * The buffer after the request was rendered anew: what nobody wrote in follows, the rest stays.
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
