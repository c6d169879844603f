import { INTERRUPTED } from '../../context/gather';
import { UNREAD, type IJournalFacts } from '../../session/journalfacts';

/** What a page knows of a pair beyond the document. */
export interface IPairFacts {
  /** What the server told. */
  journal: IJournalFacts;
  /** What follows a stopped reply. */
  sentinel: string;
  isNew: boolean;
  /** Whether the cells that came with a replay are locked. */
  locked: boolean;
}

/** What is known of a pair at first. */
export const UNKNOWN: IPairFacts = {
  journal: UNREAD,
  sentinel: INTERRUPTED,
  isNew: false,
  locked: false
};

/** Clocks drift a little; only a difference that can be seen counts. */
const SKEW_MS = 500;

/** What is known after these facts; the same object if a cell shows nothing else then. */
export function knowing(
  known: IPairFacts,
  facts: Partial<IPairFacts>
): IPairFacts {
  const next = { ...known, ...facts };
  const isSame =
    !isOtherJournal(next.journal, known.journal) &&
    next.sentinel === known.sentinel &&
    next.isNew === known.isNew &&
    next.locked === known.locked;
  return isSame ? known : next;
}

function isOtherJournal(a: IJournalFacts, b: IJournalFacts): boolean {
  return (
    a.read !== b.read ||
    a.newest !== b.newest ||
    Math.abs(a.skew - b.skew) > SKEW_MS
  );
}
