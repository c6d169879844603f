import { ServerConnection } from '@jupyterlab/services';
import { PromiseDelegate } from '@lumino/coreutils';

import { trans } from '../base/words';
import type { INewRun, IRun } from '../base/run';
import type { IRunInfo } from '../document/metadata';
import { readSibling } from '../document/siblingmark';
import { splitModel } from '../request/render';
import { reconnectDelay, type ITimes } from '../runs/times';
import type { RunClaims } from './claims';
import type { Notice } from './notice';
import type { Outbox } from './outbox';
import type { IPlaced } from './outgoing';

/** One of several replies to a pair. */
type ITurn = Required<Pick<IRun, 'pair' | 'sibling'>>;

/**
 * A request that is being sent to the server, until it responds.
 *
 * A lost response is requested again under the same id, so that nothing is sent twice.
 */
export class Posting {
  constructor(private _options: Posting.IOptions) {
    const { chat, placed, outbox } = _options;
    const { pair, info, cell } = placed;
    this.run = pendingRun(chat, pair, info);
    outbox.put({
      pair,
      text: [cell.source].flat().join(''),
      runId: info.runId,
      at: Date.now(),
      resend: placed.isOld
    });
  }

  /** The run before the server has claimed it. */
  readonly run: IRun;

  /**
   * Its pair, which cannot be in the file while the server does not know it; null if it was
   * deleted.
   */
  get unsaved(): IPlaced | null {
    return this._isDeleted ? null : this._options.placed;
  }

  /** Whether the user does not want it any more. */
  get isGivenUp(): boolean {
    return this._isGivenUp;
  }

  /**
   * Stop one of the replies that are asked for; the others are sent. Null if it is none of them, else
   * resolves when the server has responded, so that its run can be stopped, or when nothing was sent.
   */
  stop({ pair, sibling }: ITurn): Promise<void> | null {
    const { siblings } = this._options;
    if (pair !== this.run.pair || !siblings.includes(sibling)) {
      return null;
    }
    this._stopped.add(sibling);
    if (siblings.every(one => this._stopped.has(one))) {
      this.giveUp();
    }
    return this._ended.promise;
  }

  /** Give up; a run that the server starts anyway is stopped. */
  giveUp(): void {
    this._isGivenUp = true;
    this._wake?.();
  }

  /** To be called when its pair was deleted. */
  delete(): void {
    this._isDeleted = true;
    this.giveUp();
  }

  /**
   * Ask the server for the run, and its siblings, until it responds. Rejects when it refuses, or after
   * giving up.
   */
  async post(request: INewRun): Promise<IRun[]> {
    const { create, claims, notice, outbox, times } = this._options;
    if (this._isGivenUp) {
      throw new Error(trans.__('it was stopped before it was sent.'));
    }
    for (let attempt = 0; ; attempt++) {
      try {
        const { siblings = [], ...run } = await create(request);
        this._hasArrived = true;
        const runs: IRun[] = [run, ...siblings];
        return this._isGivenUp
          ? await Promise.all(runs.map(({ id }) => claims.stop(id)))
          : runs;
      } catch (error) {
        if (!(error instanceof ServerConnection.NetworkError)) {
          throw error;
        }
        if (this._isDisposed) {
          throw error;
        }
        notice.say(
          trans.__(
            'The Jupyter server does not respond. The message is sent when it does; Stop cancels it.'
          )
        );
        await this._pause(reconnectDelay(attempt, Math.random(), times));
        if (this._isGivenUp || this._isDisposed) {
          throw error;
        }
        if (outbox.wasTaken) {
          throw new Error(trans.__('Another tab has it in its composer.'));
        }
        notice.text = null;
      }
    }
  }

  /**
   * Whether its chat was closed before it arrived. It stays in the outbox then: whoever opens the chat
   * next asks the journal for it, as after a reload.
   */
  get isLeft(): boolean {
    return this._isDisposed && !this._hasArrived;
  }

  /** To be called when it has arrived, was returned, or is left. */
  end(): void {
    const { outbox } = this._options;
    if (!this.isLeft) {
      outbox.take(this.run.id);
    }
    outbox.rest();
    this._ended.resolve();
  }

  dispose(): void {
    this._isDisposed = true;
    this._wake?.();
  }

  private _pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms);
      this._wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private readonly _ended = new PromiseDelegate<void>();
  private _hasArrived = false;
  private _isDeleted = false;
  private _isDisposed = false;
  private _isGivenUp = false;
  private readonly _stopped = new Set<number>();
  private _wake: (() => void) | null = null;
}

/**
 * The namespace for `Posting` statics.
 */
export namespace Posting {
  export interface IOptions {
    claims: Pick<RunClaims, 'stop'>;
    /** Asks the server for a run; asking again for the same one is safe. */
    create: (run: INewRun) => Promise<IRun>;
    notice: Notice;
    outbox: Outbox;
    /** The chat's id in the file. */
    chat: string;
    placed: IPlaced;
    /** The numbers of the replies that are asked for; 0 for a single one. */
    siblings: readonly number[];
    times?: ITimes;
  }
}

function pendingRun(chat: string, pair: string, info: IRunInfo): IRun {
  const { provider, model } = splitModel(info.model);
  return {
    id: info.runId,
    chat,
    pair,
    attempt: info.attempt,
    provider,
    model,
    state: 'claimed',
    hash: info.requestHash,
    createdAt: info.createdAt,
    updatedAt: info.updatedAt,
    ...readSibling(info)
  } as IRun;
}
