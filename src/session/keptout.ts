import type { ISharedNotebook } from '@jupyter/ydoc';
import { Signal, type ISignal } from '@lumino/signaling';

import { trans } from '../base/words';
import { isAttachment } from '../document/attachments';
import type { PairState } from '../document/metadata';
import { Pair } from '../document/pair';
import { unsentPlaces } from '../document/parts';
import { siblingsOf } from '../document/siblings';
import type { RunFollower } from './follower';
import type { Notice } from './notice';
import type { PairActions } from './pairactions';
import type { Sender } from './sender';
import { sentPairs } from './sentpairs';

/** The states of a pair whose run may be followed by another attempt. */
const MAY_FOLLOW: ReadonlySet<PairState> = new Set([
  'sending',
  'awaiting',
  'error'
]);

/**
 * Ends automatic retries of a request of which the user keeps a part out since it was sent: they
 * repeat its bytes, with that part.
 */
export class KeptOut {
  constructor(private _options: KeptOut.IOptions) {
    const { context, runs, sender } = _options;
    for (const { changed } of [context, runs, sender]) {
      (changed as ISignal<unknown, void>).connect(this._look, this);
    }
  }

  dispose(): void {
    Signal.clearData(this);
  }

  private _look(): void {
    const { notebook, runs, sender } = this._options;
    const open = [
      ...runs.allWaiting,
      ...runs.inProgress,
      ...(sender.busy ? [sender.busy] : [])
    ];
    const before = this._sent;
    const after = new Map<string, IKeptOut>();
    // Whether another attempt follows may be heard of a moment after the end of the last one. A later
    // message ends what waits.
    for (const [id, known] of open.length ? [] : before) {
      const pair = Pair.find(notebook, id);
      if (pair?.run?.runId === known.runId && mayFollow(pair)) {
        after.set(id, { ...known, isOpen: false });
      }
    }
    this._sent = after;
    for (const id of new Set(open.map(({ pair }) => pair))) {
      const info = Pair.find(notebook, id)?.run;
      if (!info) {
        continue;
      }
      // Several replies to a message were asked for with the same parts.
      const request = info.group ?? info.requestHash;
      const isOpen = open.some(
        run => run.pair === id && (run.sibling ?? 0) === (info.sibling ?? 0)
      );
      const now = this._kept(id, isOpen);
      const { runId } = info;
      const known = before.get(id);
      const isKnown =
        known?.request === request && (known.isOpen || known.runId === runId);
      const isNew = isKnown && [...now].some(part => !known.kept.has(part));
      const kept = isKnown && !isNew ? known.kept : now;
      after.set(id, { request, runId, isOpen: true, kept });
      if (isNew) {
        void this._stop(id);
      }
    }
  }

  /**
   * The parts that are kept out of the pairs of a request.
   *
   * @param isOpen - Whether it is for the reply that its pair says. The requests of others to the same
   * message have nothing of that reply.
   */
  private _kept(pair: string, isOpen: boolean): Set<string> {
    const { notebook } = this._options;
    return new Set(
      sentPairs(notebook, pair).flatMap(({ id, parts }) =>
        [...unsentPlaces(parts)]
          .filter(place => isOpen || id !== pair || isAttachment(parts[place]))
          .map(place => `${id}/${place}`)
      )
    );
  }

  private async _stop(pair: string): Promise<void> {
    const { actions, notice } = this._options;
    if (await actions.stopAutoRetry(pair)) {
      notice.say(
        trans.__(
          'Auto-retry is off for this reply: its request has a part that you keep out now. Retry now sends the message without it.'
        )
      );
    }
  }

  /** The requests that may be repeated, by pair, and what was kept out of them from the start. */
  private _sent: ReadonlyMap<string, IKeptOut> = new Map();
}

/** Whether another attempt at a pair, or at one of several replies to it, may follow. */
function mayFollow(pair: Pair): boolean {
  const others = siblingsOf(pair).map(({ info }) => info);
  return [pair.run, ...others].some(info => info && MAY_FOLLOW.has(info.state));
}

interface IKeptOut {
  request: string;
  /** The last run of the pair. */
  runId: string;
  /** Whether a run of the pair was open or waited when it was looked at last. */
  isOpen: boolean;
  /** The parts, as pair and place. */
  kept: ReadonlySet<string>;
}

/**
 * The namespace for `KeptOut` statics.
 */
export namespace KeptOut {
  export interface IOptions {
    actions: Pick<PairActions, 'stopAutoRetry'>;
    context: { changed: ISignal<unknown, void> };
    notebook: ISharedNotebook;
    notice: Pick<Notice, 'say'>;
    runs: Pick<RunFollower, 'allWaiting' | 'changed' | 'inProgress'>;
    sender: Pick<Sender, 'busy' | 'changed'>;
  }
}
