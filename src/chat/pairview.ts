/**
 * What a pair's cell shows, from what is known of it.
 */
import { INTERRUPTED } from '../context/gather';
import type { IPairError, IRunInfo, PairState } from '../document/metadata';
import { pairError, pairState } from '../document/state';
import type { IRun } from '../runs/types';

/** What there is to show besides the texts. */
export interface IPairView {
  state: PairState;
  error: IPairError | null;
  /** Whether the model was asked and has not answered yet. */
  thinking: boolean;
  /** The words after a reply that the user stopped. */
  sentinel: string | null;
  canRetry: boolean;
  model: string;
  tokens: number | null;
  /** What to say of a reply that the provider cut; null for one that ended by itself. */
  cut: string | null;
}

/** What else is known of a pair: the user's marks, and how this page stands to it. */
export interface IPairMarks {
  topic: string;
  star: number;
  in: boolean;
  /** Over budget: dimmed and not sent. */
  ooc: boolean;
  isNew: boolean;
  /** How many earlier versions there are. */
  versions: number;
  /** The earlier version being looked at; null for the current one. */
  shown: number | null;
}

/** What a user can ask for from a pair's cell. */
export type PairAction =
  'retry' | 'edit' | 'delete' | 'previous' | 'next' | 'restore' | 'topic';

/**
 * The view of a pair.
 *
 * @param info - What the document says.
 * @param live - The run that this page follows, if any.
 * @param journalRead - Whether the server has told its open runs: a pair that is under way
 *   in the document but in no journal was interrupted.
 */
export function pairView(
  info: IRunInfo | null,
  live: { run: IRun; text: string } | null,
  journalRead: boolean,
  sentinel = INTERRUPTED
): IPairView {
  if (live) {
    const state = pairState(live.run.state);
    return {
      state,
      error: pairError(live.run) ?? null,
      thinking: (state === 'sending' || state === 'awaiting') && !live.text,
      sentinel: state === 'canceled' ? sentinel : null,
      canRetry: false,
      model: `${live.run.provider}/${live.run.model}`,
      tokens: null,
      cut: null
    };
  }
  if (!info) {
    return {
      state: 'idle',
      error: null,
      thinking: false,
      sentinel: null,
      canRetry: false,
      model: '',
      tokens: null,
      cut: null
    };
  }
  const underWay = info.state === 'sending' || info.state === 'awaiting';
  const lost = underWay && journalRead;
  return {
    state: lost ? 'error' : info.state,
    error: lost ? LOST : info.state === 'error' ? (info.error ?? LOST) : null,
    thinking: underWay && !lost,
    sentinel: info.state === 'canceled' ? sentinel : null,
    canRetry: !lost && (info.state === 'error' || info.state === 'canceled'),
    model: info.model,
    tokens: info.usage?.completion_tokens ?? null,
    cut: info.finish ? cutWords(info.finish) : null
  };
}

function cutWords(finish: string): string {
  switch (finish) {
    case 'length':
      return 'cut at the length limit';
    case 'content_filter':
      return 'cut by the provider’s filter';
    default:
      return `ended: ${finish}`;
  }
}

const LOST: IPairError = {
  type: 'unknown',
  code: 'interrupted',
  status: null,
  message:
    'This server has no record of the request. Send the message again if you still want a reply.'
};
