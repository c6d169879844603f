import type { ISharedNotebook } from '@jupyter/ydoc';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import {
  ensurePair,
  findPair,
  isUnderWay,
  KEYS,
  land,
  landedRuns,
  readRunInfo,
  type ILanding,
  type IRunInfo
} from '../document';
import {
  isAlive,
  LiveRun,
  type IRun,
  type RunSocket,
  type TurnbookAPI
} from '../runs';
import type { OwnRuns } from './outbox';
import { words } from './words';

/** How long a page waits for the page that sent a message to save its reply. */
const SENDER_GRACE_MS = 3000;

/** After a change, how long to wait before replies that landed twice are tidied up. */
const TIDY_MS = 500;

/** How many of this page's landings are looked after. */
const KEPT_LANDINGS = 8;

/**
 * Follows the runs of a chat, from whatever page they were begun, and lands their replies in
 * the document.
 */
export class RunFollower implements IDisposable {
  constructor(options: RunFollower.IOptions) {
    this._options = options;
    const { context } = options;
    context.model.stateChanged.connect(this._onModelState, this);
    context.model.contentChanged.connect(this._onContentChanged, this);
    context.saveState.connect(this._onSaveState, this);
  }

  /** Emitted when the state of any run changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Emitted when a pair is followed or no longer; empty when that may be so for all. */
  get pairChanged(): ISignal<this, string> {
    return this._pairChanged;
  }

  /** Emitted with the pair whose reply has just landed, however it ended. */
  get landed(): ISignal<this, string> {
    return this._landed;
  }

  /** Emitted with words for the user. */
  get trouble(): ISignal<this, string> {
    return this._trouble;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** The run that is under way or has not landed yet. */
  get busy(): IRun | null {
    for (const live of this._live.values()) {
      if (!live.hasEnded) {
        return live.run;
      }
    }
    return null;
  }

  /** Whether the server has told which runs of this chat are open. */
  get journalRead(): boolean {
    return this._journalRead;
  }

  /** The run that a pair's cell should show as it streams. */
  live(pair: string): LiveRun | null {
    return this._live.get(pair) ?? null;
  }

  /** Follow the runs of a chat. */
  watch(chatId: string): void {
    this._watch?.dispose();
    this._watch = this._options.socket.watch(chatId, {
      onRuns: runs => this._onRuns(runs),
      onChanged: run => this._onChanged(run)
    });
  }

  /** Follow a run, unless its pair was deleted. */
  follow(run: IRun): void {
    // The answer to a request may come after the reply to it has landed.
    if (
      run.dropped ||
      this._deleted.has(run.pair) ||
      this._finished.has(run.id)
    ) {
      return;
    }
    const present = this._live.get(run.pair);
    if (present?.run.id === run.id) {
      present.update(run);
      if (present.hasEnded && this._options.own.has(run.id)) {
        // It ended before the answer came that made it this page's own.
        this._land(present);
      }
      return;
    }
    if (present && present.run.attempt > run.attempt) {
      return;
    }
    present?.dispose();
    const { api, socket } = this._options;
    const witnessed = isAlive(run);
    const live = new LiveRun({ run, api, socket });
    live.stateChanged.connect(this._emit, this);
    live.ended.connect(() => {
      if (
        this._options.context.model.collaborative ||
        this._options.own.has(run.id) ||
        !witnessed
      ) {
        this._land(live);
      } else {
        // Another page on this file sent it and will save it; two saves would collide.
        setTimeout(() => this._land(live), SENDER_GRACE_MS);
      }
    });
    live.failed.connect((_, reason) => {
      this._release(live);
      this._trouble.emit(
        `A reply could not be shown: ${reason} It is kept; open the chat again to see it.`
      );
    });
    this._openRuns.set(run.id, run);
    this._live.set(run.pair, live);
    this._show(run);
    this._pairChanged.emit(run.pair);
    this._emit();
  }

  /** What can be seen must be in the document before a context is gathered from it. */
  landEnded(): void {
    for (const live of [...this._live.values()]) {
      if (live.hasEnded) {
        this._land(live);
      }
    }
  }

  /**
   * A pair is being deleted: let go of its run.
   *
   * Answers the run that was followed. Until the deletion is undone, nothing brings it back.
   */
  drop(pair: string): IRun | null {
    const live = this._live.get(pair);
    this._deleted.add(pair);
    if (live) {
      this._release(live);
    }
    return live?.run ?? null;
  }

  /** Let a deleted pair come back, with the reply of this run. */
  undrop(run: IRun): void {
    this._deleted.delete(run.pair);
    this._finished.delete(run.id);
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._watch?.dispose();
    clearTimeout(this._tidying);
    for (const live of this._live.values()) {
      live.dispose();
    }
    this._live.clear();
    Signal.clearData(this);
  }

  private get _notebook(): ISharedNotebook {
    return this._options.context.model.sharedModel;
  }

  private _onRuns(runs: IRun[]): void {
    this._journalRead = true;
    this._openRuns.clear();
    for (const run of runs) {
      this._onChanged(run);
    }
    for (const pair of this._live.keys()) {
      this._pairChanged.emit(pair);
    }
    this._reportLanded();
    this._pairChanged.emit('');
    this._emit();
  }

  private _onChanged(run: IRun): void {
    if (run.landed || run.dropped) {
      this._openRuns.delete(run.id);
      this._onLandedElsewhere(run);
      return;
    }
    this._openRuns.set(run.id, run);
    if (!isAlive(run) && landedRuns(this._notebook).has(run.id)) {
      return;
    }
    this.follow(run);
  }

  /**
   * Have the pair of a run in the document.
   *
   * A page that only watches stays clean: the page that sent it saves it, and this one then
   * reads the file again.
   */
  private _show(run: IRun): void {
    const { model } = this._options.context;
    const watches =
      !model.collaborative && !model.dirty && !this._options.own.has(run.id);
    ensurePair(this._notebook, run.cell, run.after);
    if (watches) {
      model.dirty = false;
    }
  }

  private _land(live: LiveRun): void {
    const { run } = live;
    if (this._isDisposed || this._live.get(run.pair) !== live) {
      return;
    }
    const landing = {
      run,
      text: live.text,
      ...(live.reply.usage ? { usage: live.reply.usage } : {})
    };
    land(this._notebook, landing);
    this._finished.add(run.id);
    this._landings = [...this._landings, landing].slice(-KEPT_LANDINGS);
    this._release(live);
    this._landed.emit(run.pair);
    this._options.save();
  }

  private _release(live: LiveRun): void {
    this._live.delete(live.run.pair);
    this._pairChanged.emit(live.run.pair);
    live.dispose();
    this._emit();
  }

  /** Another page has saved this run's reply: take the file as it is now, unless this page has changes of its own. */
  private _onLandedElsewhere(run: IRun): void {
    const { context } = this._options;
    const live = this._live.get(run.pair);
    if (live?.run.id !== run.id) {
      // A short reply may have landed before this page heard of its run.
      if (run.landed && !landedRuns(this._notebook).has(run.id)) {
        this._reread();
      }
      return;
    }
    if (context.model.collaborative || context.model.dirty) {
      if (run.dropped && !findPair(this._notebook, run.pair)) {
        this._release(live);
      } else if (!run.dropped && live.hasEnded) {
        this._land(live);
      }
      // Else the rest of the reply is still on its way to this page.
      return;
    }
    this._release(live);
    this._reread();
  }

  /** Take the file as it is now, unless this page has changes of its own. */
  private _reread(): void {
    const { context } = this._options;
    if (context.model.collaborative || context.model.dirty) {
      return;
    }
    context.revert().catch(error => {
      this._trouble.emit(
        `The file changed and could not be read again: ${words(error)}`
      );
    });
  }

  /** Other browsers may have landed the same runs: what came twice is tidied up after they met. */
  private _onContentChanged(): void {
    this._onRestored();
    if (this._landings.length && this._options.context.model.collaborative) {
      clearTimeout(this._tidying);
      this._tidying = setTimeout(() => this._tidy(), TIDY_MS);
    }
  }

  /** A deletion was undone: the journal must not count the reply as dropped any more. */
  private _onRestored(): void {
    for (const pair of this._deleted) {
      const cell = findPair(this._notebook, pair);
      if (cell) {
        this._deleted.delete(pair);
        const info = readRunInfo(cell.getMetadata(KEYS.run));
        if (info?.runId) {
          this._restored(info);
        }
      }
    }
  }

  private _restored(info: IRunInfo): void {
    this._options.api.dropRun(info.runId, false).then(
      run => {
        if (isUnderWay(info.state)) {
          // What still came after the deletion is in the journal.
          this.follow(run);
        }
      },
      error => console.warn(`Turnbook: ${words(error)}`)
    );
  }

  private _tidy(): void {
    for (const landing of this._isDisposed ? [] : this._landings) {
      if (findPair(this._notebook, landing.run.pair)) {
        land(this._notebook, landing);
      }
    }
  }

  private _onModelState(
    _: INotebookModel,
    change: { name: string; newValue: unknown }
  ): void {
    if (change.name === 'dirty' && change.newValue === false) {
      this._reportLanded();
    }
  }

  private _onSaveState(_: unknown, state: DocumentRegistry.SaveState): void {
    if (state === 'completed') {
      this._reportLanded();
    }
  }

  /** After a save: the journal may let go of the replies that the file holds. */
  private _reportLanded(): void {
    if (this._options.context.model.dirty || this._openRuns.size === 0) {
      return;
    }
    const present = landedRuns(this._notebook);
    for (const [id, run] of this._openRuns) {
      if (present.has(id) && !isAlive(run)) {
        this._report(run);
      }
    }
  }

  private _report(run: IRun): void {
    this._openRuns.delete(run.id);
    this._options.api.landRun(run.id).catch(error => {
      // The journal keeps the reply; it is reported again after the next save.
      this._openRuns.set(run.id, run);
      console.warn(`Turnbook: landing was not reported: ${words(error)}`);
    });
  }

  private _emit(): void {
    if (!this._isDisposed) {
      this._changed.emit();
    }
  }

  private _changed = new Signal<this, void>(this);
  /** Pairs that this page deleted, until a deletion is undone. */
  private _deleted = new Set<string>();
  /** Runs that landed here. */
  private _finished = new Set<string>();
  private _isDisposed = false;
  private _journalRead = false;
  private _landed = new Signal<this, string>(this);
  private _landings: ILanding[] = [];
  private _live = new Map<string, LiveRun>();
  /** Runs that the journal still holds for this chat. */
  private _openRuns = new Map<string, IRun>();
  private _options: RunFollower.IOptions;
  private _pairChanged = new Signal<this, string>(this);
  private _tidying: ReturnType<typeof setTimeout> | undefined;
  private _trouble = new Signal<this, string>(this);
  private _watch: IDisposable | null = null;
}

/**
 * The namespace for `RunFollower` statics.
 */
export namespace RunFollower {
  /** What following needs. */
  export interface IOptions {
    context: DocumentRegistry.IContext<INotebookModel>;
    api: TurnbookAPI;
    socket: RunSocket;
    /** The runs that this tab began. */
    own: OwnRuns;
    /** Save the document if it is saved by itself at all. */
    save: () => void;
  }
}
