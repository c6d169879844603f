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
    return this._polling !== null;
  }

  /** Poll until `stop`. */
  start(): void {
    if (!this._polling) {
      this._polling = {};
      this._failures = 0;
      void this._round(this._polling);
    }
  }

  stop(): void {
    this._polling = null;
    this._isAsking = false;
    this._known.clear();
    clearTimeout(this._timer);
  }

  /** Poll at once, if polling. */
  poke(): void {
    if (this._polling && !this._isAsking) {
      clearTimeout(this._timer);
      void this._round(this._polling);
    }
  }

  /** A round that outlives its polling brings nothing and is followed by none. */
  private async _round(polling: object): Promise<void> {
    const { wanted, answered } = this._options;
    let failures = 0;
    this._isAsking = true;
    try {
      const { runs, chats } = wanted();
      await Promise.all([
        ...[...chats].map(chat => this._askChat(polling, chat)),
        ...[...runs].map(([run, after]) => this._askRun(polling, run, after))
      ]);
    } catch (error) {
      // The server cannot be reached this way either; try again in the next round.
      failures = this._failures + 1;
      console.debug('Turnbook: the server does not answer', error);
    }
    if (polling === this._polling) {
      this._isAsking = false;
      this._failures = failures;
      answered(failures === 0);
      this._timer = setTimeout(() => void this._round(polling), this._delay());
    }
  }

  private _delay(): number {
    const { isHidden, wanted } = this._options;
    const idle = isHidden() || wanted().runs.size === 0;
    const usual = idle ? IDLE_MS : POLL_MS;
    return Math.min(usual * 2 ** this._failures, LONGEST_MS);
  }

  /** Reports all open runs the first time, then the changes. */
  private async _askChat(polling: object, chat: Watched): Promise<void> {
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
    if (polling !== this._polling) {
      return;
    }
    this._known.set(chat, now);
    if (!before) {
      const all = chat === ALL_CHATS ? { allRuns: runs } : { chat, runs };
      this._hand(polling, all);
      return;
    }
    const changed = runs.filter(run => before.get(run.id) !== now.get(run.id));
    const closed = left.flatMap(found => (found ? [found.run] : []));
    for (const run of [...changed, ...closed]) {
      this._hand(polling, { chat: run.chat, changed: run });
    }
  }

  private async _askRun(
    polling: object,
    id: string,
    after: number
  ): Promise<void> {
    const found = await known(this._options.source.getRun(id, after));
    if (found) {
      this._hand(polling, { status: found.run });
      found.events.forEach(event => this._hand(polling, { run: id, event }));
    }
  }

  private _hand(polling: object, message: ServerMessage): void {
    if (polling === this._polling) {
      this._options.receive(message);
    }
  }

  private _failures = 0;
  private _isAsking = false;
  /** The open runs of each chat in the last response. */
  private _known = new Map<Watched, Map<string, string>>();
  /** Identifies the polling from one `start` to its `stop`; null while there is none. */
  private _polling: object | null = null;
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
