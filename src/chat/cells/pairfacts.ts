import { INTERRUPTED } from '../../context/gather';
import type { PriceOf } from '../../session/prices';
import type { LiveRun } from '../../runs/live';
import { UNREAD, type IJournalFacts } from '../../session/journalfacts';

/** What a page knows about a pair beyond the document. */
export interface IPairFacts {
  /** What the server reported. */
  journal: IJournalFacts;
  /** The text after a stopped reply. */
  sentinel: string;
  isNew: boolean;
  /** Whether the server has not responded to its request yet. */
  isPosting: boolean;
  /** Whether the cells that came with a replay are locked. */
  locked: boolean;
  /** Whether reasoning stays open. */
  opensReasoning: boolean;
  /** Finds the price of a model. */
  priceOf: PriceOf;
  /** The hashes of references whose sources are known to be others now, with spaces between them. */
  changedReferences: string;
  /** What is known about one of several replies: the run that streams, and what the server reported. */
  turnOf: (sibling: number) => {
    live: LiveRun | null;
    journal: IJournalFacts;
  };
}

/** The initial facts. */
export const UNKNOWN: IPairFacts = {
  journal: UNREAD,
  sentinel: INTERRUPTED,
  isNew: false,
  isPosting: false,
  locked: false,
  opensReasoning: false,
  priceOf: () => null,
  changedReferences: '',
  turnOf: () => ({ live: null, journal: UNREAD })
};

/** Clocks drift a little; only a visible difference counts. */
const SKEW_MS = 500;

/** Merge facts; return the same object if nothing changes for the cell. */
export function knowing(
  known: IPairFacts,
  facts: Partial<IPairFacts>
): IPairFacts {
  const next = { ...known, ...facts };
  const isSame =
    !isOtherJournal(next.journal, known.journal) &&
    next.sentinel === known.sentinel &&
    next.isNew === known.isNew &&
    next.isPosting === known.isPosting &&
    next.locked === known.locked &&
    next.opensReasoning === known.opensReasoning &&
    next.priceOf === known.priceOf &&
    next.changedReferences === known.changedReferences;
  return isSame ? known : next;
}

function isOtherJournal(a: IJournalFacts, b: IJournalFacts): boolean {
  return (
    a.read !== b.read ||
    a.newest !== b.newest ||
    Math.abs(a.skew - b.skew) > SKEW_MS
  );
}
