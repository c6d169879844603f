import type { LeafPath } from './model';

/** What is wrong with a wish to change a request. */
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

/**
 * A change to a request that cannot be made. Nothing was changed; the message says what to do.
 */
export class RequestError extends Error {
  constructor(
    readonly code: RequestErrorCode,
    message: string,
    /** Where in the section, the options or the snapshot it is. */
    readonly path: LeafPath = [],
    readonly section: string | null = null
  ) {
    super(message);
    this.name = 'RequestError';
  }
}
