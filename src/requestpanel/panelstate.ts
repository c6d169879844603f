import type { IEditedRequest } from '../request/model';
import type { SectionViewKind } from './sectionview';
import type { ISnapshotBuffer } from './snapshotbuffer';

/** The parts of the panel that open and close. */
export type PanelPart =
  'prompt' | 'options' | 'snapshot' | 'versions' | 'rules' | 'replays';

/**
 * The panel's view state for one chat.
 *
 * Kept while the chat is open, so that looking at another chat does not lose it.
 */
export class PanelState {
  /** Sections that the user opened or closed. */
  readonly open = new Map<string, boolean>();
  /** How sections are shown. */
  readonly views = new Map<string, SectionViewKind>();
  /** The parts that are open. */
  readonly parts = new Set<PanelPart>(['prompt']);
  /** The text of the Session Snapshot; null before it was opened. */
  snapshot: ISnapshotBuffer | null = null;
  /** The request that the Session Snapshot was last applied to. */
  applied: IEditedRequest | null = null;
  /** Whether changes are marked. */
  diff = true;
  /** The section that the keys act on. */
  current: string | null = null;
}
