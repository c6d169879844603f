import type { ISharedNotebook } from '@jupyter/ydoc';
import { Signal, type ISignal } from '@lumino/signaling';

import { trans } from '../base/words';
import { Pair } from '../document/pair';
import { unsentPlaces } from '../document/parts';
import type { RunFollower } from './follower';
import type { Notice } from './notice';
import type { PairActions } from './pairactions';
import type { Sender } from './sender';
import { sentPairs } from './sentpairs';

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
    const run = runs.waiting ?? sender.busy;
    const info = run && Pair.find(notebook, run.pair)?.run;
    if (!run || !info) {
      this._sent = null;
      return;
    }
    const kept = this._kept(run.pair);
    const { requestHash } = info;
    if (this._sent?.requestHash !== requestHash) {
      this._sent = { requestHash, kept };
      return;
    }
    const before = this._sent.kept;
    if ([...kept].some(([id, count]) => count > (before.get(id) ?? 0))) {
      this._sent.kept = kept;
      void this._stop(run.pair);
    }
  }

  /** How many parts are kept out of each pair of a request. */
  private _kept(pair: string): Map<string, number> {
    const { notebook } = this._options;
    return new Map(
      sentPairs(notebook, pair)
        .map(one => [one.id, unsentPlaces(one.parts).size] as const)
        .filter(([, count]) => count > 0)
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

  /** The last request, and what was kept out of it from the start. */
  private _sent: {
    requestHash: string;
    kept: ReadonlyMap<string, number>;
  } | null = null;
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
    runs: Pick<RunFollower, 'changed' | 'waiting'>;
    sender: Pick<Sender, 'busy' | 'changed'>;
  }
}
