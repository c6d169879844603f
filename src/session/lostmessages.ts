import type { ISharedNotebook } from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';

import { trans } from '../base/words';
import { Pair } from '../document/pair';
import { markUnsent, removeUnsent } from '../document/resend';
import { ApiError, type TurnbookAPI } from '../runs/api';
import { NO_EVENTS } from '../runs/polling';
import { runsOf } from './deletedpairs';
import type { Draft } from './draft';
import type { Notice } from './notice';
import type { IHeldMessage, Outbox } from './outbox';
import type { OwnRuns } from './ownruns';
import { errorMessage } from '../base/errors';

/**
 * Returns the messages of pages that closed while sending: what the journal does not know was never
 * sent.
 */
export class LostMessages implements IDisposable {
  constructor(private _options: LostMessages.IOptions) {}

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Check the outbox, and again when a message of another tab may count as lost. */
  async check(): Promise<void> {
    const { outbox, own, isPosting } = this._options;
    clearTimeout(this._timer);
    const others: IHeldMessage[] = [];
    // Newest first, since each is put before what is in the composer.
    for (const message of outbox.all.reverse()) {
      if (isPosting(message.runId)) {
        continue;
      }
      if (own.has(message.runId) || outbox.patience(message) <= 0) {
        await this._settle(message);
      } else {
        others.push(message);
      }
    }
    if (others.length && !this._isDisposed) {
      const wait = Math.min(...others.map(one => outbox.patience(one)));
      clearTimeout(this._timer);
      this._timer = setTimeout(() => void this.check(), Math.max(wait, 0));
    }
  }

  dispose(): void {
    this._isDisposed = true;
    clearTimeout(this._timer);
  }

  private async _settle(message: IHeldMessage): Promise<void> {
    const { api, outbox } = this._options;
    const { runId } = message;
    try {
      await api.getRun(runId, NO_EVENTS);
      outbox.take(runId);
      this._options.draft.forget(message.pair);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) {
        // It stays in the outbox; the next connection asks again.
        console.warn(
          `Turnbook: a message is not accounted for: ${errorMessage(error)}`
        );
        return;
      }
      // Only the first to find it restores it.
      if (!this._isDisposed && outbox.take(runId)) {
        this._giveBack(message);
      }
    }
  }

  private _giveBack({ pair, text, runId, resend }: IHeldMessage): void {
    const { draft, notebook, notice } = this._options;
    const known = resend ? Pair.find(notebook, pair) : null;
    const isThere =
      known?.source === text ||
      (known ? runsOf(known) : []).some(({ runId: id }) => id === runId);
    if (resend && (isThere || !text.trim())) {
      markUnsent(notebook, pair, runId);
      return;
    }
    if (resend) {
      // The file is from before that: nothing else has the edited text.
      draft.restore(draft.pair, text, []);
    } else {
      removeUnsent(notebook, pair, runId);
      draft.restore(pair, text);
    }
    notice.say(
      trans.__(
        'This message had not reached the server when the page was closed. It is back in the composer.'
      )
    );
  }

  private _isDisposed = false;
  private _timer: ReturnType<typeof setTimeout> | undefined;
}

export namespace LostMessages {
  export interface IOptions {
    api: Pick<TurnbookAPI, 'getRun'>;
    outbox: Outbox;
    /** The runs that this tab started, including those before a reload. */
    own: OwnRuns;
    /** Whether this page is sending a message now. */
    isPosting: (runId: string) => boolean;
    /** Where messages are restored. */
    draft: Pick<Draft, 'forget' | 'pair' | 'restore'>;
    notebook: ISharedNotebook;
    notice: Notice;
  }
}
