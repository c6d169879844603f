import type { ISharedNotebook } from '@jupyter/ydoc';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import { trans } from '../base/words';
import { errorMessage } from '../base/errors';
import { isAlive, type IRun } from '../base/run';
import type { ILanding } from '../document/landedoutputs';
import { findPair, hasLanded, land } from '../document/landing';
import { Pair } from '../document/pair';
import { catchUpResend } from '../document/sentagain';
import { restoreSiblings, siblingVersions } from '../document/siblings';
import { isAwaited, type IVersion } from '../document/versionlist';
import { hasChunks } from '../runs/attempts';
import type { LiveRun } from '../runs/live';
import { finishedCalls } from '../runs/toolcalls';
import type { RunClaims } from './claims';
import type { ChatFile } from './file';
import { Saves } from './saves';
import { shownRun } from './shownreply';

/** How long after a change duplicate replies are cleaned up. */
const TIDY_MS = 500;

/** How many of this page's landings, and of pairs with a choice, are kept for that. */
const KEPT_LANDINGS = 8;

/** Lands replies in the document, and reports to the journal which of them are in the file. */
export class Lander implements IDisposable {
  constructor(private _options: Lander.IOptions) {
    const { context, file } = _options;
    context.model.stateChanged.connect(this._onModelState, this);
    context.model.contentChanged.connect(this._onContentChanged, this);
    context.saveState.connect(this._onSaveState, this);
    file.reread.connect(this._onReread, this);
    file.saved.connect(this._onSaved, this);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Write the reply of an ended run into the document. */
  land(live: LiveRun): void {
    const { abandoned, images, reasoning, run, seams, text, usage } = live;
    const landing = {
      run,
      text,
      seams,
      reasoning,
      images,
      calls: finishedCalls(live.calls, run.id),
      ...(usage ? { usage } : {}),
      ...(abandoned ? { abandoned } : {})
    };
    const changed = this._land(landing);
    for (const { id } of [...live.chain.map(({ run }) => run), run]) {
      this._finished.add(id);
      if (changed && !this._options.context.model.collaborative) {
        this._unsaved.add(id);
      }
    }
    this._landings = [...this._landings, landing].filter(
      ({ run: { id } }, n, { length }) =>
        n >= length - KEPT_LANDINGS || this._unsaved.has(id)
    );
  }

  /** Take over a reply of another chat; rejects if it did not get into the file. */
  async adopt(landing: ILanding): Promise<void> {
    const { context } = this._options;
    const { id } = landing.run;
    this._land(landing);
    if (context.model.collaborative) {
      return;
    }
    this._landings.push(landing);
    this._unsaved.add(id);
    await context.save();
    if (this._unsaved.has(id)) {
      throw new Error(
        trans.__('The chat was not saved, so the reply stays in this list.')
      );
    }
  }

  /** Remember the replies to a pair of which another was chosen here, for when documents merge. */
  keepSiblings(pair: Pair): void {
    if (this._options.context.model.collaborative) {
      this._groups.delete(pair.id);
      this._groups.set(pair.id, siblingVersions(pair));
      const [oldest] = this._groups.keys();
      if (this._groups.size > KEPT_LANDINGS) {
        this._groups.delete(oldest);
      }
    }
  }

  /** Whether a run landed here. */
  hasFinished(run: IRun): boolean {
    return this._finished.has(run.id);
  }

  /** Let a run land again, because its deleted pair is restored. */
  undrop(run: IRun): void {
    this._finished.delete(run.id);
  }

  /** Whether the document has everything from an ended run. */
  holds(run: IRun): boolean {
    return (
      this._finished.has(run.id) ||
      hasLanded(this._notebook, run) ||
      (this.isOutdone(run) && !hasChunks(run))
    );
  }

  /** Whether the document has a later attempt at the same pair. */
  isOutdone(run: IRun): boolean {
    const info = shownRun(this._notebook, run);
    return info !== null && info.attempt > run.attempt;
  }

  /** Forget which runs are open, because the journal lists them from the start. */
  clearOpen(): void {
    this._open.clear();
  }

  /** Record whether the journal still has a run open. */
  note(run: IRun): void {
    if (run.landed || run.dropped) {
      this._open.delete(run.id);
    } else {
      this._open.set(run.id, run);
    }
  }

  /** Report the replies that are in the file, so that the journal can close their runs. */
  report(): void {
    if (this._options.context.model.dirty) {
      return;
    }
    for (const run of this._open.values()) {
      if (!isAlive(run) && this.holds(run) && !this._unsaved.has(run.id)) {
        this._report(run);
      }
    }
  }

  dispose(): void {
    this._isDisposed = true;
    clearTimeout(this._tidying);
    Signal.clearData(this);
  }

  private get _notebook(): ISharedNotebook {
    return this._options.context.model.sharedModel;
  }

  private _land(landing: ILanding): boolean {
    const { context, file } = this._options;
    const { cell, dropped } = landing.run;
    return file.repeatable(() => {
      const isShared = context.model.collaborative;
      const isBehind =
        !isShared && !dropped && catchUpResend(this._notebook, cell);
      return land(this._notebook, landing) || isBehind;
    });
  }

  /**
   * Other browsers may have landed the same runs, or other ones while a reply was chosen here: remove
   * duplicates and put back what is lost after the documents merged.
   */
  private _onContentChanged(): void {
    const isKept = this._landings.length > 0 || this._groups.size > 0;
    if (isKept && this._options.context.model.collaborative) {
      clearTimeout(this._tidying);
      this._tidying = setTimeout(() => this._tidy(), TIDY_MS);
    }
  }

  private _tidy(): void {
    for (const [id, known] of this._isDisposed ? [] : this._groups) {
      const pair = Pair.find(this._notebook, id);
      if (pair) {
        // Those that the server does not have were taken back, or come from who sends them.
        const restored = known.filter(
          one => !isAwaited(one) || this._open.has(one.runId ?? '')
        );
        restoreSiblings(this._notebook, pair, restored);
      }
    }
    for (const landing of this._isDisposed ? [] : this._landings) {
      if (findPair(this._notebook, landing.run.pair)) {
        land(this._notebook, landing);
      }
    }
  }

  /** The file was read again: restore what it may lack. */
  private _onReread(): void {
    // A save that ended in a revert, at the user's choice, ends like one that wrote the file.
    this._saves.forget();
    for (const landing of this._landings) {
      const { id } = landing.run;
      if (this._unsaved.has(id) && !this._land(landing)) {
        // The file has it: another page saved it.
        this._unsaved.delete(id);
      }
    }
  }

  private _onModelState(
    _: INotebookModel,
    change: { name: string; newValue: unknown }
  ): void {
    if (change.name === 'dirty' && change.newValue === false) {
      this.report();
    }
  }

  private _onSaveState(_: unknown, state: DocumentRegistry.SaveState): void {
    if (state === 'started') {
      this._saves.began(this._unsaved);
    }
  }

  private _onSaved(_: ChatFile, well: boolean): void {
    const { model } = this._options.context;
    for (const id of this._saves.ended(well)) {
      this._unsaved.delete(id);
    }
    if (well) {
      if (this._unsaved.size && !model.dirty) {
        // It landed during the save, so the file does not have it yet.
        model.dirty = true;
      }
      this.report();
    }
  }

  private _report(run: IRun): void {
    this._open.delete(run.id);
    this._options.claims.land(run.id).catch(error => {
      // The journal keeps the reply; it is reported again after the next save.
      this._open.set(run.id, run);
      console.warn(
        `Turnbook: landing was not reported: ${errorMessage(error)}`
      );
    });
  }

  /** Runs that landed here. */
  private readonly _finished = new Set<string>();
  /** The replies to pairs of which another was chosen here. */
  private readonly _groups = new Map<string, IVersion[]>();
  private _isDisposed = false;
  private _landings: ILanding[] = [];
  /** Runs that the journal still has open for this chat. */
  private readonly _open = new Map<string, IRun>();
  private readonly _saves = new Saves();
  private _tidying: ReturnType<typeof setTimeout> | undefined;
  /** Runs whose replies landed here and may not be in the file yet. */
  private readonly _unsaved = new Set<string>();
}

/**
 * The namespace for `Lander` statics.
 */
export namespace Lander {
  export interface IOptions {
    context: DocumentRegistry.IContext<INotebookModel>;
    file: ChatFile;
    claims: RunClaims;
  }
}
