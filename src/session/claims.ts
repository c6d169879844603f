import { trans } from '../base/words';
import type { IRun, ITurn } from '../base/run';
import { ApiError, type TurnbookAPI } from '../runs/api';

/**
 * Operations of a chat on its runs.
 *
 * Every call names the chat, once the server has confirmed which chat this file is: a copied file
 * has the ids of the original's runs in its cells, and must not affect them.
 */
export class RunClaims {
  constructor(private _options: RunClaims.IOptions) {}

  async stop(run: string): Promise<IRun> {
    return this._options.api.stopRun(await this._chat(), run);
  }

  /** Report that a saved notebook has the reply. */
  async land(run: string): Promise<IRun> {
    return this._options.api.landRun(await this._chat(), run);
  }

  /** Report that the pair was deleted, or is back. */
  async drop(run: string, dropped = true): Promise<IRun> {
    return this._options.api.dropRun(await this._chat(), run, dropped);
  }

  /** The newest attempt at a pair's reply, or at one of several; null if there is none. */
  async newest(pair: string, sibling = 0): Promise<string | null> {
    const runs = await this.attempts(pair);
    const own = runs.filter(run => (run.sibling ?? 0) === sibling);
    return own[own.length - 1]?.id ?? null;
  }

  /** All attempts at a pair's replies, first to last. */
  async attempts(pair: string): Promise<IRun[]> {
    const { api } = this._options;
    const { attempts } = await api.getTurn(await this._chat(), pair);
    return attempts.map(({ run }) => run);
  }

  async retry(
    pair: string,
    wish: { auto?: boolean; now?: boolean; sibling?: number }
  ): Promise<ITurn> {
    return this._options.api.retryTurn(await this._chat(), pair, wish);
  }

  private async _chat(): Promise<string> {
    const chat = await this._options.chat();
    if (chat === null) {
      throw new ApiError(
        404,
        'no-such-run',
        trans.__('This file has no runs.')
      );
    }
    return chat;
  }
}

/**
 * The namespace for `RunClaims` statics.
 */
export namespace RunClaims {
  export interface IOptions {
    api: Pick<
      TurnbookAPI,
      'stopRun' | 'landRun' | 'dropRun' | 'getTurn' | 'retryTurn'
    >;
    /** Resolves with this file's chat once it is known; null if the file is not a chat. */
    chat: () => Promise<string | null>;
  }
}
