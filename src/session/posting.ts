import { ServerConnection } from '@jupyterlab/services';

import type { INewRun, IRun } from '../base/run';
import type { IRunInfo } from '../document/metadata';
import { splitModel } from '../request/render';
import type { TurnbookAPI } from '../runs/api';
import { reconnectDelay } from '../runs/socket';
import type { RunClaims } from './claims';
import type { Notice } from './notice';
import type { Outbox } from './outbox';
import type { IPlaced } from './outgoing';

/**
 * A request on its way to the server, until that has answered.
 *
 * An answer that is lost is asked for again under the same id, so that nothing is sent twice.
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

  /** Its pair, which the file cannot have while the server does not know of it; null if that was deleted. */
  get unsaved(): IPlaced | null {
    return this._isDeleted ? null : this._options.placed;
  }

  /** Stop asking; a run that the server begins all the same is stopped. */
  giveUp(): void {
    this._isGivenUp = true;
    this._wake?.();
  }

  /** Its pair was deleted. */
  delete(): void {
    this._isDeleted = true;
    this.giveUp();
  }

  /** Ask the server for the run until it answers. Rejects when it refuses, or when that was given up. */
  async post(request: INewRun): Promise<IRun> {
    const { api, claims, notice, outbox } = this._options;
    if (this._isGivenUp) {
      throw new Error('it was stopped before it left.');
    }
    for (let attempt = 0; ; attempt++) {
      try {
        const run = await api.createRun(request);
        return this._isGivenUp ? await claims.stop(run.id) : run;
      } catch (error) {
        if (!(error instanceof ServerConnection.NetworkError)) {
          throw error;
        }
        notice.say(
          'The Jupyter server does not answer. The message is sent when it does; Stop takes it back.'
        );
        await this._pause(reconnectDelay(attempt, Math.random()));
        if (this._isGivenUp || this._isDisposed) {
          throw error;
        }
        if (outbox.wasTaken) {
          throw new Error('Another tab has it in its composer.');
        }
        notice.text = null;
      }
    }
  }

  /** It has arrived, or goes back. */
  end(): void {
    const { outbox } = this._options;
    outbox.take(this.run.id);
    outbox.rest();
  }

  /** The page goes: ask no more. */
  dispose(): void {
    this._isDisposed = true;
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

  private _isDeleted = false;
  private _isDisposed = false;
  private _isGivenUp = false;
  private _wake: (() => void) | null = null;
}

/**
 * The namespace for `Posting` statics.
 */
export namespace Posting {
  /** What it needs. */
  export interface IOptions {
    api: Pick<TurnbookAPI, 'createRun'>;
    claims: Pick<RunClaims, 'stop'>;
    notice: Notice;
    outbox: Outbox;
    /** The chat's id as the file has it. */
    chat: string;
    placed: IPlaced;
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
    updatedAt: info.updatedAt
  } as IRun;
}
