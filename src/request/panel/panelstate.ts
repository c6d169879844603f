import type { SectionViewKind } from './sectionview';

/** The parts of the panel that open and close. */
export type PanelPart =
  'prompt' | 'options' | 'snapshot' | 'versions' | 'replays';

/**
 * What the user opened in the panel, for one chat.
 *
 * It is kept while the chat is open, so that a look at another chat does not lose it.
 */
export class PanelState {
  /** Sections that the user opened or closed. */
  readonly open = new Map<string, boolean>();
  /** How sections are shown. */
  readonly views = new Map<string, SectionViewKind>();
  /** The parts that are open. */
  readonly parts = new Set<PanelPart>(['prompt']);
  /** Whether changes are marked. */
  diff = true;
  /** The section that the keys act on. */
  current: string | null = null;
}
