import type { IRun } from '../base/run';

/** What the server's journal says about a pair beyond the document. */
export interface IJournalFacts {
  /** Whether the server has reported its open runs. */
  read: boolean;
  /** The newest attempt that it reported. */
  newest: IRun | null;
  /** The server's clock minus this browser's, in milliseconds. */
  skew: number;
}

/** The facts before the journal was read. */
export const UNREAD: IJournalFacts = { read: false, newest: null, skew: 0 };
