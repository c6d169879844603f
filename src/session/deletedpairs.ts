import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import { ServerConnection } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';

import { errorMessage } from '../base/errors';
import type { IRun } from '../base/run';
import { isUnderWay } from '../document/lifecycle';
import type { IRunInfo } from '../document/metadata';
import { Pair } from '../document/pair';
import { siblingsOf } from '../document/siblings';
import type { RunClaims } from './claims';

/** The runs of what a pair says, of all siblings. */
export function runsOf(pair: Pair): IRunInfo[] {
  const { run } = pair;
  const siblings = siblingsOf(pair).map(({ info }) => info);
  const all = siblings.length ? siblings : run ? [run] : [];
  return all.filter(({ runId }) => runId !== '');
}

/** The pairs that were deleted here; undoing that tells the journal. */
export class DeletedPairs {
  constructor(private _options: DeletedPairs.IOptions) {
    const { model } = _options.context;
    model.contentChanged.connect(this._onContentChanged, this);
  }

  has(pair: string): boolean {
    return this._pairs.has(pair);
  }

  add(pair: string): void {
    this._pairs.add(pair);
  }

  delete(pair: string): void {
    this._pairs.delete(pair);
  }

  /** Tell the journal what is back, if it could not be told before. */
  tellAgain(): void {
    const { sharedModel } = this._options.context.model;
    const untold = [...this._untold.values()];
    this._untold.clear();
    for (const { pair, info } of untold) {
      if (Pair.find(sharedModel, pair)) {
        this._restored(pair, info);
      }
    }
  }

  dispose(): void {
    Signal.clearData(this);
  }

  /** A deletion was undone: the journal must no longer count the replies as dropped. */
  private _onContentChanged(): void {
    const { sharedModel } = this._options.context.model;
    for (const id of this._pairs) {
      const pair = Pair.find(sharedModel, id);
      if (pair) {
        this._pairs.delete(id);
        runsOf(pair).forEach(info => this._restored(id, info));
      }
    }
  }

  private _restored(pair: string, info: IRunInfo): void {
    const { claims, follow } = this._options;
    claims.drop(info.runId, false).then(
      run => {
        if (isUnderWay(info.state)) {
          // What arrived after the deletion is in the journal.
          follow(run);
        }
      },
      error => {
        console.warn(`Turnbook: ${errorMessage(error)}`);
        if (error instanceof ServerConnection.NetworkError) {
          this._untold.set(info.runId, { pair, info });
        }
      }
    );
  }

  private _pairs = new Set<string>();
  /** By run: what was restored while the server did not respond. */
  private _untold = new Map<string, { pair: string; info: IRunInfo }>();
}

export namespace DeletedPairs {
  export interface IOptions {
    context: DocumentRegistry.IContext<INotebookModel>;
    claims: Pick<RunClaims, 'drop'>;
    follow: (run: IRun) => void;
  }
}
