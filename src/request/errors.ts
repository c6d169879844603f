import type { LeafPath } from './model';

/** Why a request cannot be changed. */
export type RequestErrorCode =
  | 'not-a-request'
  | 'unknown-section'
  | 'no-leaf'
  | 'not-text'
  | 'wrong-role'
  | 'wrong-message'
  | 'wrong-option'
  | 'fixed-option'
  | 'wrong-snapshot'
  | 'render-failed';

/** An invalid change to a request. Nothing was changed; the message says what to do. */
export class RequestError extends Error {
  constructor(
    readonly code: RequestErrorCode,
    message: string,
    /** Where the error is in the section, the options or the snapshot. */
    readonly path: LeafPath = [],
    readonly section: string | null = null
  ) {
    super(message);
    this.name = 'RequestError';
  }
}
