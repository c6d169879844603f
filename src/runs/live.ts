import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import { trans } from '../base/words';
import { errorMessage } from '../base/errors';
import { isObject } from '../base/json';
import type { ILanding } from '../document/landedoutputs';
import { sumUsage, type IUsage } from '../document/usage';
import { reasoningText, type IReasoning } from '../document/reasoning';
import type { TurnbookAPI } from './api';
import { honestEnd } from './attempts';
import { ChunkReader } from './chunks';
import { parseChunk } from './dialect';
import {
  NO_EARLIER,
  readEarlier,
  reasoningOf,
  type IEarlierAttempt
} from './earlier';
import {
  isSettled,
  joined,
  NOTHING,
  type IJoined,
  type ISeam
} from '../base/joining';
import { finishedReasoning, ThinkingClock } from './reasoning';
import { addChunk, EMPTY_REPLY, type IReplyState } from './reply';
import type { RunSocket } from './socket';
import type { ICallState } from './toolcalls';
import { isAlive, progress, type IRun, type IRunEvent } from '../base/run';

/** A run as this page sees it, followed from its first event to its end. */
export class LiveRun implements IDisposable {
  constructor(options: LiveRun.IOptions) {
    this._api = options.api;
    this._run = options.run;
    // Text that the page already has stays visible until the journal confirms it.
    this._before = { ...NOTHING, text: options.before ?? '' };
    this._replaced = options.replaced ?? '';
    this._thinking = new ThinkingClock(options.run.events, options.now);
    this._join();
    this._options = options;
    this._follow();
    this._reading = this._readEarlier();
    // Retried when the run ends, so a failure before that is not an unhandled rejection.
    this._reading.catch(() => undefined);
  }

  /** The latest state from the server. */
  get run(): IRun {
    return this._run;
  }

  /** The reply so far, including the text of the interrupted attempts that it continues. */
  get text(): string {
    return this._text;
  }

  /** Where the reply was joined from several attempts. */
  get seams(): readonly ISeam[] {
    return this._seams;
  }

  /** The attempts that this one continues, first to last. */
  get chain(): readonly IEarlierAttempt[] {
    return this._earlier.chain;
  }

  /** The partial reply that this attempt starts over, until this one is longer; otherwise empty. */
  get outgrown(): string {
    return this._isBehind ? this._replaced : '';
  }

  /**
   * The text of the attempts before this one, if it started over instead of continuing; otherwise
   * null.
   */
  get abandoned(): ILanding['abandoned'] | null {
    const last = this._earlier.chain.at(-1);
    const { text } = this._before;
    return last && !this._text.startsWith(text)
      ? { run: last.run, text, reasoning: this._earlierReasoning }
      : null;
  }

  /** What the model thought, one for each attempt that the reply is joined from. */
  get reasoning(): readonly IReasoning[] {
    const { reasoning, calls } = this._reply;
    const own = finishedReasoning(
      reasoning,
      calls.length > 0,
      this._thinking.seconds
    );
    return [
      ...(this.abandoned ? [] : this._earlierReasoning),
      ...(own ? [own] : [])
    ];
  }

  /** The URLs of the images in the reply. */
  get images(): readonly string[] {
    const earlier = this.abandoned ? [] : this._earlier.chain;
    const all = [...earlier.map(({ reply }) => reply), this._reply];
    return [...new Set(all.flatMap(({ images }) => images))];
  }

  /** How long the model has been thinking or has thought; null if that was not witnessed. */
  get thoughtSeconds(): number | null {
    return this._thinking.seconds;
  }

  /**
   * The token usage of the reply, including earlier attempts; undefined if the provider reported
   * none.
   */
  get usage(): IUsage | undefined {
    return sumUsage([...this._earlier.usages, this._reply.usage]);
  }

  /** What this run's own chunks add up to. */
  get reply(): IReplyState {
    return this._reply;
  }

  /** The tool calls so far. */
  get calls(): readonly ICallState[] {
    return this._reply.calls;
  }

  /** Resolves when the attempts before this run have been read. */
  get ready(): Promise<void> {
    return this._reading;
  }

  /** Emitted with each piece of a tool call. */
  get called(): ISignal<this, void> {
    return this._called;
  }

  /** Emitted with each piece of reasoning. */
  get thought(): ISignal<this, string> {
    return this._thought;
  }

  /** Emitted with each piece of text. */
  get grown(): ISignal<this, string> {
    return this._grown;
  }

  /** Emitted when the run's state changes. */
  get stateChanged(): ISignal<this, IRun> {
    return this._stateChanged;
  }

  /** Emitted once, when the run has ended and all its text is here. */
  get ended(): ISignal<this, IRun> {
    return this._ended;
  }

  /** Whether the run has ended and all its text is here. */
  get hasEnded(): boolean {
    return this._hasEnded;
  }

  /** Emitted when the run ended but its reply cannot be assembled, with a text for the user. */
  get failed(): ISignal<this, string> {
    return this._failed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Apply a state that did not come through the subscription. */
  update(run: IRun): void {
    this._onStatus(run);
  }

  /** Read the end of a finished run from the journal instead of waiting for the stream. */
  async catchUp(): Promise<void> {
    if (isAlive(this._run) || this._isDisposed) {
      return;
    }
    if (this._finished === null) {
      const { events } = await this._api.getRun(this._run.id, this._seen);
      events.forEach(event => this._onEvent(event));
    }
    await this._finished;
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

  /** Follow the run from its first event. */
  private _follow(): void {
    const { socket, load } = this._options;
    const reader = new ChunkReader(chunk => {
      if (reader === this._reader) {
        this._onChunk(chunk);
      }
    }, load);
    this._reader = reader;
    this._read = reader.finished.then(trouble => {
      if (reader === this._reader) {
        this._onRead(trouble);
      }
    });
    this._subscription = socket.subscribe(this._run.id, 0, {
      onStatus: run => this._onStatus(run),
      onEvent: event => this._onEvent(event),
      onError: message => this._onError(message)
    });
  }

  /** Read the run again from the journal, which has lost some of what was shown. */
  private _startOver(): void {
    this._subscription.dispose();
    this._reader.close();
    this._seen = 0;
    this._unreadable = 0;
    this._bypassesReader = false;
    this._reply = EMPTY_REPLY;
    this._join();
    this._follow();
  }

  private _onStatus(run: IRun): void {
    if (progress(run) < progress(this._run)) {
      // A response may arrive after newer news from the stream.
      return;
    }
    const changed = run.state !== this._run.state || !isAlive(run);
    // A report may lack large outputs of the cell.
    this._run = { ...run, cell: this._run.cell };
    if (changed && !this._isDisposed) {
      this._stateChanged.emit(run);
    }
    // An end comes after all events. After a power cut at the server, fewer may be left than came here.
    const isBehind = !isAlive(run) && run.events <= this._seen;
    if (isBehind && this._finished === null && !this._isDisposed) {
      this._startOver();
    }
  }

  private _onEvent(event: IRunEvent): void {
    if (event.n <= this._seen || this._isDisposed) {
      return;
    }
    this._seen = event.n;
    if (event.data !== undefined) {
      if (this._run.state === 'claimed' || this._run.state === 'sending') {
        this._onStatus({ ...this._run, state: 'streaming' });
      }
      if (this._bypassesReader) {
        this._onChunk(parseChunk(event.data));
      } else {
        this._reader.push(event.data);
      }
    }
    if (event.end) {
      this._reader.close();
      this._finished = this._finish(event);
    }
  }

  private _onError(message: string): void {
    if (!this._isDisposed && !this._hasEnded) {
      this._failed.emit(message);
    }
  }

  private _onChunk(chunk: unknown): void {
    if (!isObject(chunk)) {
      this._unreadable++;
    }
    // Slicing the whole text would copy it for every chunk.
    const { text: delta, calls, reasoning } = addChunk(EMPTY_REPLY, chunk);
    const thought = finishedReasoning(reasoning, false, null);
    this._thinking.note(thought !== null, delta !== '' || calls.length > 0);
    const settled =
      !this._isBehind && isSettled(this._before.text, this._reply.text);
    this._reply = addChunk(this._reply, chunk);
    if (thought && !this._isDisposed) {
      this._thought.emit(reasoningText(thought));
    }
    if (delta && !settled) {
      this._join();
    } else if (delta) {
      this._text += delta;
      if (!this._isDisposed) {
        this._grown.emit(delta);
      }
    }
    if (calls.length && !this._isDisposed) {
      this._called.emit();
    }
  }

  /** Parse what the reader could not, so that the reply lands anyway. */
  private _onRead(trouble: string | null): void {
    if (trouble !== null) {
      console.warn(`Turnbook: a chunk could not be read: ${trouble}`);
    }
    // The reader skips what follows a line that looks like the end of a stream.
    this._bypassesReader = true;
    for (const data of this._reader.unread) {
      this._onChunk(parseChunk(data));
    }
  }

  private async _finish(event: IRunEvent): Promise<void> {
    await this._read;
    try {
      await this._reading.catch(() => this._readEarlier());
    } catch (error) {
      console.error('Turnbook: the beginning of a reply cannot be read', error);
      if (!this._isDisposed) {
        const why = errorMessage(error);
        this._failed.emit(
          trans.__(
            'The beginning of this reply cannot be read (%1). The server keeps it: reload the page to see it whole.',
            why
          )
        );
      }
      return;
    }
    if (this._isDisposed) {
      return;
    }
    this._hasEnded = true;
    this._thinking.end();
    this._run = {
      ...this._run,
      ...honestEnd(
        {
          state: event.state ?? this._run.state,
          end: event.end ?? null
        },
        this._unreadable
      )
    };
    this._join();
    this._ended.emit(this._run);
  }

  private get _earlierReasoning(): IReasoning[] {
    return reasoningOf(this._earlier.chain);
  }

  private async _readEarlier(): Promise<void> {
    this._earlier = await readEarlier(this._api, this._run);
    this._before = this._earlier.before;
    this._replaced = this._earlier.replaced || this._replaced;
    this._join();
  }

  /** Join the reply again; views may have to render it from the start. */
  private _join(): void {
    const before = this._text;
    const behind = this._isBehind;
    const { text, seams } = joined(this._before, {
      text: this._reply.text,
      goesOn: this._run.goesOn,
      whole: this._run.state === 'done'
    });
    this._text = text;
    this._seams = seams;
    this._isBehind =
      this._replaced !== '' && text.length <= this._replaced.length;
    if (this._isDisposed) {
      return;
    }
    if (behind !== this._isBehind || !text.startsWith(before)) {
      this._rebuilt.emit();
    } else if (text !== before) {
      this._grown.emit(text.slice(before.length));
    }
  }

  /** Emitted when the reply changed other than by growing at its end. */
  get rebuilt(): ISignal<this, void> {
    return this._rebuilt;
  }

  private _api: TurnbookAPI;
  private _before: IJoined;
  private _called = new Signal<this, void>(this);
  private _earlier = NO_EARLIER;
  private _ended = new Signal<this, IRun>(this);
  private _failed = new Signal<this, string>(this);
  /** Settles when the reply is assembled; null until the last event is here. */
  private _finished: Promise<void> | null = null;
  private _grown = new Signal<this, string>(this);
  private _hasEnded = false;
  private _isBehind = false;
  private _isDisposed = false;
  private _rebuilt = new Signal<this, void>(this);
  private _options: LiveRun.IOptions;
  private _read!: Promise<void>;
  private _reader!: ChunkReader;
  private _reading: Promise<void>;
  private _bypassesReader = false;
  private _replaced: string;
  private _reply: IReplyState = EMPTY_REPLY;
  private _run: IRun;
  private _seams: readonly ISeam[] = [];
  /** The number of the last event seen. */
  private _seen = 0;
  private _stateChanged = new Signal<this, IRun>(this);
  private _subscription!: IDisposable;
  /** How many events could not be parsed. */
  private _unreadable = 0;
  private _text = '';
  private _thinking: ThinkingClock;
  private _thought = new Signal<this, string>(this);
}

/**
 * The namespace for `LiveRun` statics.
 */
export namespace LiveRun {
  export interface IOptions {
    run: IRun;
    api: TurnbookAPI;
    socket: RunSocket;
    /** The text that this run continues, as far as the page knows it. */
    before?: string;
    /** The partial reply that this run starts over, as far as the page knows it. */
    replaced?: string;
    /** Loads the chunk reader's package. */
    load?: ChunkReader.Load;
    /** The time in milliseconds. */
    now?: () => number;
  }
}
