import type { IRun } from '../base/run';

/** What the server's journal says of a pair beyond the document. */
export interface IJournalFacts {
  /** Whether the server has told its open runs. */
  read: boolean;
  /** The newest attempt that it told of. */
  newest: IRun | null;
  /** The server's clock minus this browser's, in milliseconds. */
  skew: number;
}

/** Nothing is known of the journal yet. */
export const UNREAD: IJournalFacts = { read: false, newest: null, skew: 0 };
