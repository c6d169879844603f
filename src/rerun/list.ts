import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import { errorMessage } from '../base/errors';
import type { IRerun, IRerunWish } from '../base/run';
import type { TurnbookAPI } from '../runs/api';
import { isAlive } from './words';

/** Milliseconds between two questions while a rerun is alive, and while somebody only looks. */
const BUSY = 1000;
const IDLE = 10_000;

/** The reruns of the server, as this page knows them. */
export class RerunList implements IDisposable {
  constructor(private _options: RerunList.IOptions) {}

  /** The reruns, newest first; null until the server was asked. */
  get reruns(): readonly IRerun[] | null {
    return this._reruns;
  }

  /** Why the server cannot be asked; empty if it can. */
  get trouble(): string {
    return this._trouble;
  }

  /** Emitted when something is known that was not. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Emitted with a rerun whose results were written again. */
  get written(): ISignal<this, IRerun> {
    return this._written;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._halt();
      Signal.clearData(this);
    }
  }

  /** Ask also while nothing is alive, until the result is disposed. */
  watch(): IDisposable {
    this._watchers++;
    void this.refresh();
    return new DisposableDelegate(() => {
      this._watchers--;
      this._plan();
    });
  }

  /** Ask the server now. */
  async refresh(): Promise<void> {
    this._halt();
    const asked = ++this._asked;
    try {
      const reruns = await this._options.api.listReruns();
      if (asked === this._asked && !this._isDisposed) {
        this._take(reruns, '');
      }
    } catch (error) {
      if (asked === this._asked && !this._isDisposed) {
        this._take(this._reruns, errorMessage(error));
      }
    }
    this._plan();
  }

  /** Start a rerun. Rejects if the server refuses. */
  async start(id: string, wish: IRerunWish, plan: string): Promise<void> {
    await this._act(this._options.api.startRerun(id, wish, plan));
  }

  /** Send what is missing. Rejects if the server refuses. */
  async goOn(id: string, again = false): Promise<void> {
    await this._act(this._options.api.continueRerun(id, again));
  }

  /** Stop a rerun. Rejects if the server refuses. */
  async stop(id: string, now = false): Promise<void> {
    await this._act(this._options.api.stopRerun(id, now));
  }

  /** Remove a rerun from the list. Rejects if the server refuses. */
  async forget(id: string): Promise<void> {
    await this._act(this._options.api.forgetRerun(id));
  }

  private async _act(acting: Promise<unknown>): Promise<void> {
    try {
      await acting;
    } finally {
      await this.refresh();
    }
  }

  private _take(reruns: readonly IRerun[] | null, trouble: string): void {
    const before = this._reruns;
    this._reruns = reruns;
    this._trouble = trouble;
    this._changed.emit();
    for (const rerun of reruns ?? []) {
      const known = before?.find(({ id }) => id === rerun.id);
      // A page that has just been loaded may show what was written before it asked.
      const isNews = known
        ? known.writtenAt !== rerun.writtenAt
        : isAlive(rerun);
      if (isNews && rerun.writtenAt !== null) {
        this._written.emit(rerun);
      }
    }
  }

  private _plan(): void {
    this._halt();
    const isBusy = this._reruns?.some(isAlive) ?? false;
    if (!this._isDisposed && (isBusy || this._watchers > 0)) {
      const { later } = this._options;
      this._timer = later(() => void this.refresh(), isBusy ? BUSY : IDLE);
    }
  }

  private _halt(): void {
    this._timer?.dispose();
    this._timer = null;
  }

  private _asked = 0;
  private _changed = new Signal<this, void>(this);
  private _isDisposed = false;
  private _reruns: readonly IRerun[] | null = null;
  private _timer: IDisposable | null = null;
  private _trouble = '';
  private _watchers = 0;
  private _written = new Signal<this, IRerun>(this);
}

/** The namespace for `RerunList` statics. */
export namespace RerunList {
  export interface IOptions {
    api: Pick<
      TurnbookAPI,
      | 'listReruns'
      | 'startRerun'
      | 'continueRerun'
      | 'stopRerun'
      | 'forgetRerun'
    >;
    /** Calls a function after some milliseconds. */
    later: (work: () => void, delay: number) => IDisposable;
  }
}

/** Calls a function after some milliseconds, unless the result is disposed before. */
export function later(work: () => void, delay: number): IDisposable {
  const timer = setTimeout(work, delay);
  return new DisposableDelegate(() => clearTimeout(timer));
}
