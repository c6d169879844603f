import type { ISharedNotebook } from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import type { ILanding } from '../document/landedoutputs';
import { ensurePair, findPair } from '../document/landing';
import type { Pair } from '../document/pair';
import { catchUpResend } from '../document/sentagain';
import { isAlive, turnKey, type IRun } from '../base/run';
import type { TurnbookAPI } from '../runs/api';
import { landsFirst } from '../runs/attempts';
import { LiveRun } from '../runs/live';
import { NO_EVENTS } from '../runs/polling';
import type { RunSocket } from '../runs/socket';
import { TIMES, type ITimes } from '../runs/times';
import type { CanceledRuns } from './canceled';
import { DeletedPairs } from './deletedpairs';
import { Lander } from './lander';
import { NewestAttempts } from './newest';
import type { OwnRuns } from './ownruns';
import { inherit, notShown, textBefore, textReplaced } from './shownreply';
import { lacksCell, withShownCell, withWholeCell } from './wholecell';
import { errorMessage } from '../base/errors';

/**
 * Follows the runs of a chat, whichever page started them: which are in progress, what their pairs
 * show, and when their replies land.
 */
export class RunFollower implements IDisposable {
  constructor(options: RunFollower.IOptions) {
    this._options = options;
    // First, so that a file that is read again gets its replies before the pairs in progress.
    this._lander = new Lander(options);
    const follow = (run: IRun) => this.follow(run);
    this._deleted = new DeletedPairs({ ...options, follow });
    options.file.reread.connect(this._onReread, this);
    this._preparation = options.file.prepare(() => this._catchUp());
    options.file.saving.connect(this.landEnded, this);
    options.file.trouble.connect((_, words) => this._trouble.emit(words));
  }

  /** Emitted when the state of any run changes. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Emitted when a pair is followed or no longer is; empty if that may concern all pairs. */
  get pairChanged(): ISignal<this, string> {
    return this._pairChanged;
  }

  /** Emitted with the pair whose reply has just landed, however it ended. */
  get landed(): ISignal<this, string> {
    return this._landed;
  }

  /** Emitted with a text for the user. */
  get trouble(): ISignal<this, string> {
    return this._trouble;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** The run that is in progress or has not landed yet. */
  get busy(): IRun | null {
    return this.inProgress[0] ?? null;
  }

  /** The runs that are in progress or have not landed yet: one, or siblings. */
  get inProgress(): IRun[] {
    const lives = [...this._live.values()];
    return lives.flatMap(live => (live.hasEnded ? [] : [live.run]));
  }

  /** Whether the server has reported which runs of this chat are open. */
  get journalRead(): boolean {
    return this._journalRead;
  }

  /** The run whose stream a pair's cell should show; of several replies, that of a sibling. */
  live(pair: string, sibling?: number): LiveRun | null {
    return this._live.get(turnKey({ pair, sibling })) ?? null;
  }

  /** The newest attempt at a pair, or at one of its siblings, that the server reported. */
  newest(pair: string, sibling?: number): IRun | null {
    return this._newest.get(turnKey({ pair, sibling }));
  }

  /** The attempts after which the server will start another one. */
  get allWaiting(): IRun[] {
    return this._newest.allWaiting;
  }

  /** The attempt after which the server will start another one; null if there is none. */
  get waiting(): IRun | null {
    return this._newest.waiting;
  }

  /** Record a pair's newest attempt, as the server reported it. */
  learn(run: IRun): void {
    if (this._newest.learn(run)) {
      this._pairChanged.emit(run.pair);
    }
  }

  /**
   * Follow the runs of a chat.
   *
   * @param known - Until this resolves, news from the server is held back: whether this document is
   * that chat is being asked at the same time.
   */
  watch(chatId: string, known: Promise<void>): void {
    this._watch?.dispose();
    const sure = known.then(() => this._options.own.ready);
    const take = (act: () => void) =>
      void sure.then(() => {
        if (this._watch === watch && !this._isDisposed) {
          act();
        }
      });
    const watch = this._options.socket.watch(chatId, {
      onRuns: runs => take(() => this._onRuns(runs)),
      onChanged: run => take(() => this._onChanged(run))
    });
    this._watch = watch;
  }

  /** Follow a run, unless its pair was deleted. */
  follow(told: IRun): void {
    // A response may arrive after the reply has landed.
    if (
      this._isDisposed ||
      told.dropped ||
      this._deleted.has(told.pair) ||
      this._lander.hasFinished(told)
    ) {
      return;
    }
    if (lacksCell(this._notebook, told)) {
      return this._fetch(told);
    }
    const run = withShownCell(this._notebook, told);
    this.learn(run);
    const turn = turnKey(run);
    const present = this._live.get(turn);
    if (present?.run.id === run.id) {
      present.update(run);
      if (present.hasEnded && this._options.own.has(run.id)) {
        // It ended before the response that made it this page's own.
        this._land(present);
      }
      return;
    }
    if (present && present.run.attempt > run.attempt) {
      return;
    }
    if (present && landsFirst(present.run, run)) {
      this._next.set(turn, run);
      return;
    }
    // First, so that nothing is taken for a beginning that was said to another text.
    this._show(run);
    const before = textBefore(this._notebook, run, present ?? null);
    const replaced = textReplaced(this._notebook, run);
    present?.dispose();
    const { api, socket } = this._options;
    const witnessed = isAlive(run);
    const live = new LiveRun({ run, api, socket, before, replaced });
    live.stateChanged.connect(this._emit, this);
    live.ended.connect(() => this._onEnded(live, witnessed));
    live.failed.connect((_, reason) => {
      this._release(live);
      this._trouble.emit(notShown(reason));
    });
    this._lander.note(run);
    this._live.set(turn, live);
    this._pairChanged.emit(run.pair);
    this._emit();
  }

  /** What is visible must be in the document before it is saved or a context is gathered from it. */
  landEnded(): void {
    for (const live of [...this._live.values()]) {
      if (live.hasEnded) {
        this._land(live);
      }
    }
  }

  /** Take over a reply of another chat; rejects if it did not get into the file. */
  adopt(landing: ILanding): Promise<void> {
    return this._lander.adopt(landing);
  }

  /** Remember the replies to a pair of which another was chosen, for when documents merge. */
  keepSiblings(pair: Pair): void {
    this._lander.keepSiblings(pair);
  }

  /**
   * Stop following the runs of a pair that is being deleted.
   *
   * Returns the runs that were followed. Until the deletion is undone, nothing restores them.
   */
  drop(pair: string): IRun[] {
    const lives = [...this._live.values()].filter(
      live => live.run.pair === pair
    );
    this._deleted.add(pair);
    lives.forEach(live => this._release(live));
    return lives.map(({ run }) => run);
  }

  /** Let a deleted pair be restored, with the reply of this run. */
  undrop(run: IRun): void {
    this._deleted.delete(run.pair);
    this._lander.undrop(run);
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._watch?.dispose();
    this._preparation.dispose();
    this._lander.dispose();
    this._deleted.dispose();
    for (const live of this._live.values()) {
      live.dispose();
    }
    this._live.clear();
    Signal.clearData(this);
  }

  /** Follow a run once its whole cell is here. */
  private _fetch(run: IRun): void {
    withWholeCell(this._options.api, run).then(
      whole => this.follow(whole),
      error => this._trouble.emit(notShown(errorMessage(error)))
    );
  }

  /** Fetch the end of finished replies: a user who sees *done* and saves means the whole reply. */
  private async _catchUp(): Promise<void> {
    // On failure the reply is in the journal, and lands when it arrives.
    const warn = (error: unknown) =>
      console.warn(`Turnbook: a reply has no end yet: ${errorMessage(error)}`);
    const lives = [...this._live.values()];
    await Promise.all(lives.map(live => live.catchUp().catch(warn)));
  }

  private get _notebook(): ISharedNotebook {
    return this._options.context.model.sharedModel;
  }

  private _onRuns(runs: IRun[]): void {
    this._journalRead = true;
    this._lander.clearOpen();
    this._deleted.tellAgain();
    const newest = this._newest.clear();
    for (const run of runs) {
      // A turn that is no longer reported has succeeded or is unknown.
      this._onChanged(run, newest.get(turnKey(run)) ?? null, false);
    }
    const told = new Set(runs.map(({ id }) => id));
    for (const { run } of this._live.values()) {
      this._pairChanged.emit(run.pair);
      if (!told.has(run.id)) {
        void this._askAfter(run);
      }
    }
    this._lander.report();
    this._pairChanged.emit('');
    this._emit();
  }

  /**
   * A followed run that is no longer open has landed or was dropped while this page was
   * disconnected.
   */
  private async _askAfter({ id }: IRun): Promise<void> {
    try {
      const { run } = await this._options.api.getRun(id, NO_EVENTS);
      this._onChanged(run);
    } catch (error) {
      console.warn(
        `Turnbook: a run cannot be asked for: ${errorMessage(error)}`
      );
    }
  }

  private _onChanged(
    run: IRun,
    before: IRun | null = this.newest(run.pair, run.sibling),
    isNews = true
  ): void {
    if (this._options.canceled.ends(run)) {
      return;
    }
    inherit(run, before, this._notebook, this._options.own);
    this.learn(run);
    this._lander.note(run);
    if (run.landed || run.dropped) {
      this._onLandedElsewhere(run, isNews);
    } else if (isAlive(run) || !this._lander.holds(run)) {
      this.follow(run);
    }
  }

  /** Land a reply that has ended, unless another page on this file does. */
  private _onEnded(live: LiveRun, witnessed: boolean): void {
    const { context, own } = this._options;
    const { run } = live;
    if (context.model.collaborative || own.has(run.id) || !witnessed) {
      this._land(live);
    } else if (this._next.has(turnKey(run))) {
      this._release(live);
    } else {
      // Another page on this file sent it and will save it; two saves would collide.
      const { grace, graceSpread } = this._options.times ?? TIMES;
      const wait = grace + Math.random() * graceSpread;
      setTimeout(() => this._land(live), wait);
    }
  }

  /**
   * Put the pair of a run into the document, as it was sent.
   *
   * A page that only watches stays clean: the sending page saves the file, and this one reads it.
   */
  private _show(run: IRun): void {
    const { context, file } = this._options;
    const { model } = context;
    const watches =
      !model.collaborative && !model.dirty && !this._options.own.has(run.id);
    file.repeatable(() => {
      ensurePair(this._notebook, run.cell, run.after);
      if (!model.collaborative) {
        catchUpResend(this._notebook, run.cell);
      }
    });
    if (watches) {
      model.dirty = false;
    }
  }

  private _land(live: LiveRun): void {
    const { run } = live;
    if (this._isDisposed || this._live.get(turnKey(run)) !== live) {
      return;
    }
    this._lander.land(live);
    this._release(live);
    this._landed.emit(run.pair);
    this._options.file.autosave();
  }

  private _release(live: LiveRun): void {
    const { pair } = live.run;
    const turn = turnKey(live.run);
    const next = this._next.get(turn);
    this._next.delete(turn);
    this._live.delete(turn);
    this._pairChanged.emit(pair);
    live.dispose();
    if (next && !this._deleted.has(pair)) {
      this.follow(next);
    }
    this._emit();
  }

  /**
   * Another page has saved this run's reply: read the file again, unless this page has unsaved
   * changes.
   */
  private _onLandedElsewhere(run: IRun, isNews: boolean): void {
    const { context, file } = this._options;
    const live = this._live.get(turnKey(run));
    if (live?.run.id !== run.id) {
      // A short reply may have landed before this page learned about its run. For old news a
      // missing pair does not count: the file was read without it.
      const isOld = !isNews && !findPair(this._notebook, run.pair);
      const isPast = this._lander.holds(run) || this._lander.isOutdone(run);
      if (run.landed && !isPast && !isOld) {
        void file.refresh();
      }
      return;
    }
    if (context.model.collaborative || context.model.dirty) {
      if (run.dropped && !findPair(this._notebook, run.pair)) {
        this._release(live);
      } else if (!run.dropped && live.hasEnded) {
        this._land(live);
      }
      // Otherwise the rest of the reply is still arriving in this page.
      return;
    }
    void file.refresh().then(isRead => {
      // Not before: what is visible must not be missing from a message that is sent meanwhile.
      if (isRead && this._live.get(turnKey(run)) === live) {
        this._release(live);
      }
    });
  }

  /** The file was read again: restore what it may lack. */
  private _onReread(): void {
    for (const { run } of this._live.values()) {
      this._show(run);
    }
  }

  private _emit(): void {
    if (!this._isDisposed) {
      this._changed.emit();
    }
  }

  private _changed = new Signal<this, void>(this);
  private readonly _deleted: DeletedPairs;
  private _isDisposed = false;
  private _journalRead = false;
  private _landed = new Signal<this, string>(this);
  private readonly _lander: Lander;
  /** By `turnKey`. */
  private _live = new Map<string, LiveRun>();
  private readonly _newest = new NewestAttempts();
  /** Attempts that are followed once the previous one has landed. */
  private _next = new Map<string, IRun>();
  private _options: RunFollower.IOptions;
  private _pairChanged = new Signal<this, string>(this);
  private readonly _preparation: IDisposable;
  private _trouble = new Signal<this, string>(this);
  private _watch: IDisposable | null = null;
}

/** The namespace for `RunFollower` statics. */
export namespace RunFollower {
  export interface IOptions extends Lander.IOptions {
    api: TurnbookAPI;
    canceled: Pick<CanceledRuns, 'ends'>;
    socket: RunSocket;
    own: OwnRuns;
    times?: ITimes;
  }
}
