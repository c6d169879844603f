import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import type { TurnbookAPI } from './api';
import { ChunkReader, parseChunk } from './chunks';
import { addChunk, EMPTY_REPLY, type IReplyState } from './reply';
import type { RunSocket } from './socket';
import type { ICallState } from './toolcalls';
import { isAlive, progress, type IRun, type IRunEvent } from './types';

/**
 * A run as this page sees it: followed from its first event to its end.
 */
export class LiveRun implements IDisposable {
  constructor(options: LiveRun.IOptions) {
    this._api = options.api;
    this._run = options.run;
    // What the page has already stays in view until the journal has confirmed it.
    this._before = options.before ?? '';
    this._reader = new ChunkReader(chunk => this._onChunk(chunk), options.load);
    this._read = this._reader.finished.then(trouble => this._onRead(trouble));
    this._subscription = options.socket.subscribe(this._run.id, 0, {
      onStatus: run => this._onStatus(run),
      onEvent: event => this._onEvent(event),
      onError: message => console.warn(`Turnbook: ${message}`)
    });
    this._prefix = this._readPrefix(this._run.continues);
    // Tried again when the run ends; a failure before that is not an unhandled one.
    this._prefix.catch(() => undefined);
  }

  /** The newest state that the server told. */
  get run(): IRun {
    return this._run;
  }

  /** The reply so far, with the part that an interrupted attempt before this one brought. */
  get text(): string {
    return this._before + this._reply.text;
  }

  /** The attempts whose text comes before this one's, first to last. */
  get chain(): readonly string[] {
    return this._chain;
  }

  /** What this run's own chunks add up to. */
  get reply(): IReplyState {
    return this._reply;
  }

  /** The tools that the model calls, as far as it has said. */
  get calls(): readonly ICallState[] {
    return this._reply.calls;
  }

  /** Emitted with each piece of a tool call. */
  get called(): ISignal<this, void> {
    return this._called;
  }

  /** Emitted with each piece of text. */
  get grown(): ISignal<this, string> {
    return this._grown;
  }

  /** Emitted when the run's state changed. */
  get stateChanged(): ISignal<this, IRun> {
    return this._stateChanged;
  }

  /** Emitted once, when the run ended and all its text is here. */
  get ended(): ISignal<this, IRun> {
    return this._ended;
  }

  /** Whether the run ended and all its text is here. */
  get hasEnded(): boolean {
    return this._hasEnded;
  }

  /** Emitted when the run ended but its reply cannot be put together, with words for the user. */
  get failed(): ISignal<this, string> {
    return this._failed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Take a state that came another way than over the subscription. */
  update(run: IRun): void {
    this._onStatus(run);
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._subscription.dispose();
    this._reader.close();
    Signal.clearData(this);
  }

  private _onStatus(run: IRun): void {
    if (progress(run) < progress(this._run)) {
      // The answer to a request may come after what the stream told.
      return;
    }
    const changed = run.state !== this._run.state || !isAlive(run);
    this._run = run;
    if (changed && !this._isDisposed) {
      this._stateChanged.emit(run);
    }
  }

  private _onEvent(event: IRunEvent): void {
    if (event.data !== undefined) {
      if (this._run.state === 'claimed' || this._run.state === 'sending') {
        this._onStatus({ ...this._run, state: 'streaming' });
      }
      if (this._readsItself) {
        this._onChunk(parseChunk(event.data));
      } else {
        this._reader.push(event.data);
      }
    }
    if (event.end) {
      this._reader.close();
      void this._finish(event);
    }
  }

  private _onChunk(chunk: unknown): void {
    // Not cut from the whole text, which would be copied for every chunk.
    const { text: delta, calls } = addChunk(EMPTY_REPLY, chunk);
    this._reply = addChunk(this._reply, chunk);
    if (delta && !this._isDisposed) {
      this._grown.emit(delta);
    }
    if (calls.length && !this._isDisposed) {
      this._called.emit();
    }
  }

  /** Take what the reader could not: the reply must land all the same. */
  private _onRead(trouble: string | null): void {
    if (trouble === null) {
      return;
    }
    console.warn(`Turnbook: a chunk could not be read: ${trouble}`);
    this._readsItself = true;
    for (const data of this._reader.unread) {
      this._onChunk(parseChunk(data));
    }
  }

  private async _finish(event: IRunEvent): Promise<void> {
    await this._read;
    try {
      await this._prefix.catch(() => this._readPrefix(this._run.continues));
    } catch (error) {
      console.error('Turnbook: the beginning of a reply cannot be read', error);
      if (!this._isDisposed) {
        const why = error instanceof Error ? error.message : String(error);
        this._failed.emit(
          `The beginning of this reply cannot be read (${why}). The server keeps it: reload the page to see it whole.`
        );
      }
      return;
    }
    if (this._isDisposed) {
      return;
    }
    this._hasEnded = true;
    this._run = {
      ...this._run,
      state: event.state ?? this._run.state,
      end: event.end ?? null
    };
    this._ended.emit(this._run);
  }

  /** The text of the attempts that this one continues, first to last. */
  private async _readPrefix(id: string | null): Promise<void> {
    const parts: string[] = [];
    const chain: string[] = [];
    for (let next = id; next !== null;) {
      const { run, events } = await this._api.getRun(next);
      let reply = EMPTY_REPLY;
      for (const { data } of events) {
        if (data !== undefined) {
          reply = addChunk(reply, parseChunk(data));
        }
      }
      parts.unshift(reply.text);
      chain.unshift(next);
      next = run.continues;
    }
    this._chain = chain;
    const before = parts.join('');
    if (before !== this._before) {
      this._before = before;
      if (!this._isDisposed) {
        this._prefixed.emit();
      }
    }
  }

  /** Emitted when the text of earlier attempts is here. */
  get prefixed(): ISignal<this, void> {
    return this._prefixed;
  }

  private _api: TurnbookAPI;
  private _before: string;
  private _called = new Signal<this, void>(this);
  private _chain: string[] = [];
  private _ended = new Signal<this, IRun>(this);
  private _failed = new Signal<this, string>(this);
  private _grown = new Signal<this, string>(this);
  private _hasEnded = false;
  private _isDisposed = false;
  private _prefix: Promise<void>;
  private _prefixed = new Signal<this, void>(this);
  private _read: Promise<void>;
  private _reader: ChunkReader;
  private _readsItself = false;
  private _reply: IReplyState = EMPTY_REPLY;
  private _run: IRun;
  private _stateChanged = new Signal<this, IRun>(this);
  private _subscription: IDisposable;
}

/**
 * The namespace for `LiveRun` statics.
 */
export namespace LiveRun {
  /** What following a run needs. */
  export interface IOptions {
    run: IRun;
    api: TurnbookAPI;
    socket: RunSocket;
    /** The text that this run goes on from, as far as the page knows it. */
    before?: string;
    /** Gets what reads chunks. */
    load?: ChunkReader.Load;
  }
}
