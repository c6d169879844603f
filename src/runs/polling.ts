import { ApiError } from './api';
import type { IRun, IRunEvent, ServerMessage } from '../base/run';

const POLL_MS = 1_000;
/** The interval while the page is hidden or follows no run. */
const IDLE_MS = 4_000;
const LONGEST_MS = 30_000;
/** Higher than any event number: requests a run without its events. */
export const NO_EVENTS = 2 ** 31;

/** A watch of all chats; not the id of any chat. */
export const ALL_CHATS: unique symbol = Symbol('all chats');

/** What is watched: a chat, by its id, or all chats. */
export type Watched = string | typeof ALL_CHATS;

/** Polls the server for what a socket would bring, and delivers it as the same messages. */
export class Poller {
  constructor(private _options: Poller.IOptions) {}

  get isRunning(): boolean {
    return this._isRunning;
  }

  /** Poll until `stop`. */
  start(): void {
    if (!this._isRunning) {
      this._isRunning = true;
      this._failures = 0;
      void this._round();
    }
  }

  stop(): void {
    this._isRunning = false;
    this._known.clear();
    clearTimeout(this._timer);
  }

  /** Poll at once, if polling. */
  poke(): void {
    if (this._isRunning && !this._isAsking) {
      clearTimeout(this._timer);
      void this._round();
    }
  }

  private async _round(): Promise<void> {
    const { wanted, answered } = this._options;
    this._isAsking = true;
    try {
      const { runs, chats } = wanted();
      await Promise.all([
        ...[...chats].map(chat => this._askChat(chat)),
        ...[...runs].map(([run, after]) => this._askRun(run, after))
      ]);
      this._failures = 0;
    } catch (error) {
      // The server cannot be reached this way either; try again in the next round.
      this._failures++;
      console.debug('Turnbook: the server does not answer', error);
    }
    this._isAsking = false;
    if (this._isRunning) {
      answered(this._failures === 0);
      this._timer = setTimeout(() => void this._round(), this._delay());
    }
  }

  private _delay(): number {
    const { isHidden, wanted } = this._options;
    const idle = isHidden() || wanted().runs.size === 0;
    const usual = idle ? IDLE_MS : POLL_MS;
    return Math.min(usual * 2 ** this._failures, LONGEST_MS);
  }

  /** Reports all open runs the first time, then the changes. */
  private async _askChat(chat: Watched): Promise<void> {
    const { source } = this._options;
    const runs = await source.listRuns({
      ...(chat === ALL_CHATS ? {} : { chat }),
      open: true
    });
    const before = this._known.get(chat);
    const now = new Map(runs.map(run => [run.id, JSON.stringify(run)]));
    // Runs that are no longer open have landed or were dropped; the journal knows which.
    const gone = [...(before?.keys() ?? [])].filter(id => !now.has(id));
    const left = await Promise.all(
      gone.map(id => known(source.getRun(id, NO_EVENTS)))
    );
    if (!this._isRunning) {
      return;
    }
    this._known.set(chat, now);
    if (!before) {
      this._hand(chat === ALL_CHATS ? { allRuns: runs } : { chat, runs });
      return;
    }
    const changed = runs.filter(run => before.get(run.id) !== now.get(run.id));
    const closed = left.flatMap(found => (found ? [found.run] : []));
    for (const run of [...changed, ...closed]) {
      this._hand({ chat: run.chat, changed: run });
    }
  }

  private async _askRun(id: string, after: number): Promise<void> {
    const found = await known(this._options.source.getRun(id, after));
    if (found) {
      this._hand({ status: found.run });
      found.events.forEach(event => this._hand({ run: id, event }));
    }
  }

  private _hand(message: ServerMessage): void {
    if (this._isRunning) {
      this._options.receive(message);
    }
  }

  private _failures = 0;
  private _isAsking = false;
  private _isRunning = false;
  /** The open runs of each chat in the last response. */
  private _known = new Map<Watched, Map<string, string>>();
  private _timer: ReturnType<typeof setTimeout> | undefined;
}

/** The result of a request; null if the journal does not have it. */
async function known<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) {
      return null;
    }
    throw error;
  }
}

/**
 * The namespace for `Poller` statics.
 */
export namespace Poller {
  /** The server's routes that polling uses. */
  export interface ISource {
    readonly skew: number;
    listRuns(query: { chat?: string; open?: boolean }): Promise<IRun[]>;
    getRun(
      id: string,
      after?: number
    ): Promise<{ run: IRun; events: IRunEvent[] }>;
  }

  /** What the page follows. */
  export interface IWanted {
    /** The last event seen, by run. */
    runs: Map<string, number>;
    chats: Set<Watched>;
  }

  export interface IOptions {
    source: ISource;
    wanted: () => IWanted;
    /** Whether the page is hidden. */
    isHidden: () => boolean;
    receive: (message: ServerMessage) => void;
    /** Called after each round with whether the server responded. */
    answered: (ok: boolean) => void;
  }
}
