/** What a pair's cell shows, derived from what is known about it. */
import type { IOutput } from '@jupyterlab/nbformat';
import type { TranslationBundle } from '@jupyterlab/translation';

import { UNREAD, type IJournalFacts } from '../../session/journalfacts';
import { INTERRUPTED } from '../../context/gather';
import {
  editCount,
  type IPairError,
  type IRunInfo,
  type PairState
} from '../../document/metadata';
import { pairError, pairState } from '../../document/state';
import { earlierRuns } from '../../document/usagetotals';
import type { ISeam } from '../../base/joining';
import { isAlive, type IRun } from '../../base/run';
import type { LiveRun } from '../../runs/live';
import type { PriceOf } from '../../session/prices';
import { barrier, type IBarrier } from './barrier';
import type { IEyeState } from './eyebutton';
import { usageWords, type IUsageWords } from './usagewords';

/** What is shown besides the texts. */
export interface IPairView extends IUsageWords {
  state: PairState;
  error: IPairError | null;
  /** Whether the model was asked and no reply has arrived yet. */
  thinking: boolean;
  /** The text after a reply that the user stopped. */
  sentinel: string | null;
  /** Why the reply is incomplete, and what happens or helps next. */
  barrier: IBarrier | null;
  model: string;
  /** How much of the request was edited before it was sent. */
  edited: number;
  /** How many attempts the reply was joined from; empty for a single one. */
  joined: string;
  /** Says that the reply is being started over, until it is longer than before; otherwise empty. */
  again: string;
  /** What to show for a reply that the provider cut off; null if it ended normally. */
  cut: string | null;
  /** Whether the reply was stopped or cut at the length limit, and can be continued. */
  canContinue: boolean;
}

/** The view of a pair whose replies are shown side by side, each with its own state. */
export function wholeView(view: IPairView, isBusy: boolean): IPairView {
  return {
    ...view,
    state: isBusy ? 'awaiting' : view.state,
    error: null,
    thinking: false,
    sentinel: null,
    barrier: null,
    usage: '',
    usageNote: '',
    joined: '',
    again: '',
    cut: null,
    canContinue: false
  };
}

/** The view of one of several replies, without what concerns the request that all of them share. */
export function siblingView(view: IPairView, isChosen: boolean): IPairView {
  const { barrier: reason } = view;
  return {
    ...view,
    edited: 0,
    canContinue: view.canContinue && isChosen,
    barrier: reason?.remedy === 'images' ? { ...reason, remedy: null } : reason
  };
}

/** The user's marks of a pair, and the state of its view. */
export interface IPairMarks {
  topic: string;
  star: number;
  in: boolean;
  /** Over budget: dimmed and not sent. */
  ooc: boolean;
  isNew: boolean;
  /** How many earlier versions there are. */
  versions: number;
  /** Whether there are several replies, which have a button of their own to compare them. */
  isSeveral?: boolean;
  /** The earlier version that is shown; null for the current one. */
  shown: number | null;
  /** Whether the user edited the reply. */
  isEdited: boolean;
  /** Whether the reply is sent; null if there is none. */
  eye: IEyeState | null;
}

/** The actions in a pair's cell. */
export type PairAction =
  | 'continue'
  | 'retry'
  | 'stop-retry'
  | 'without-images'
  | 'providers'
  | 'edit'
  | 'delete'
  | 'previous'
  | 'next'
  | 'restore'
  | 'request'
  | 'topic'
  | 'compare'
  | 'regenerate'
  | 'regenerate-with'
  | 'combine';

/** A run that this page follows. */
export interface ILiveFacts {
  run: IRun;
  text: string;
  calls: readonly unknown[];
  /** The partial reply that it starts over, until this one is longer. */
  outgrown: string;
  seams: readonly ISeam[];
}

/** What a view needs of a run that this page follows. */
export function liveFacts(live: LiveRun): ILiveFacts {
  const { run, reply, calls, outgrown, seams } = live;
  return { run, text: reply.text, calls, outgrown, seams };
}

/**
 * Derive the view of a pair.
 *
 * @param trans - The translation bundle.
 * @param info - What the document says.
 * @param live - The run that this page follows, if any, with its own text.
 * @param journal - What the server reported. A pair in progress that is in no journal was
 * interrupted.
 * @param characters - The length of the reply in the document.
 * @param priceOf - Finds the price of a model.
 * @param outputs - Its outputs: a turn with tools took several requests.
 */
export function pairView(
  trans: TranslationBundle,
  info: IRunInfo | null,
  live: ILiveFacts | null,
  journal: IJournalFacts = UNREAD,
  sentinel = INTERRUPTED,
  characters = 0,
  priceOf: PriceOf = () => null,
  outputs: readonly IOutput[] = []
): IPairView {
  if (live) {
    const state = pairState(live.run.state);
    return {
      state,
      error: pairError(live.run) ?? null,
      thinking:
        (state === 'sending' || state === 'awaiting') &&
        !live.text &&
        !live.calls.length,
      sentinel: state === 'canceled' ? sentinel : null,
      barrier: null,
      model: `${live.run.provider}/${live.run.model}`,
      edited: editCount(info?.edited),
      usage: '',
      usageNote: '',
      joined: joinedWords(live.seams, trans),
      again: live.text && live.outgrown ? trans.__('starting again') : '',
      cut: null,
      canContinue: false
    };
  }
  if (!info) {
    return {
      state: 'idle',
      error: null,
      thinking: false,
      sentinel: null,
      barrier: null,
      model: '',
      edited: 0,
      usage: '',
      usageNote: '',
      joined: '',
      again: '',
      cut: null,
      canContinue: false
    };
  }
  const { newest, skew } = journal;
  const underWay = info.state === 'sending' || info.state === 'awaiting';
  const lost = underWay && journal.read;
  const state = lost ? 'error' : info.state;
  const error = state === 'error' ? (info.error ?? lostError(trans)) : null;
  const earlier = [...earlierRuns(info, outputs).values()].map(
    ({ model = info.model, usage }) => ({ usage, price: priceOf(model) })
  );
  return {
    state,
    error,
    thinking: underWay && !lost,
    sentinel: info.state === 'canceled' ? sentinel : null,
    // A run that has just ended here is still alive in the server's last report, which is updated soon.
    barrier:
      newest && isAlive(newest) && newest.id === info.runId
        ? null
        : barrier(
            {
              state,
              error,
              characters,
              newest: newest && newest.attempt >= info.attempt ? newest : null,
              skew,
              isForeign: lost || (journal.read && newest === null),
              options: Object.keys(info.options ?? {})
            },
            trans
          ),
    model: info.model,
    edited: editCount(info.edited),
    ...usageWords(info, priceOf(info.model), trans, earlier),
    joined: joinedWords(info.seams, trans),
    again: '',
    cut: info.finish ? cutWords(info.finish, trans) : null,
    canContinue:
      characters > 0 && (info.finish === 'length' || state === 'canceled')
  };
}

function joinedWords(
  seams: readonly ISeam[] = [],
  trans: TranslationBundle
): string {
  return seams.length
    ? trans.__('joined from %1 attempts', seams.length + 1)
    : '';
}

function cutWords(finish: string, trans: TranslationBundle): string | null {
  switch (finish) {
    case 'tool_calls':
    case 'function_call':
      // The calls themselves show it.
      return null;
    case 'length':
      return trans.__('cut at the length limit');
    case 'content_filter':
      return trans.__('cut by the provider’s filter');
    default:
      return trans.__('ended: %1', finish);
  }
}

function lostError(trans: TranslationBundle): IPairError {
  return {
    type: 'unknown',
    code: 'interrupted',
    status: null,
    message: trans.__(
      'This server has no record of the request. Send the message again if you still want a reply.'
    )
  };
}
