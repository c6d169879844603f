import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import {
  Listeners,
  type IChatWatcher,
  type IRunListener,
  type ISubscription,
  type IWatch
} from './listeners';
import type { IPageLife } from './pagelife';
import { ALL_CHATS, Poller, type Watched } from './polling';
import { SocketSends } from './sends';
import { reconnectDelay, TIMES, type ITimes } from './times';
import type {
  ClientMessage,
  INewRun,
  IRun,
  IRunEvent,
  ServerMessage
} from '../base/run';

/** After how many useless connections in a row the page polls instead. */
const BLOCKED_AFTER = 2;

/** The errors of a subscription for which asking again is pointless. */
const FINAL = new Set(['no-such-run', 'damaged', 'bad-message']);

/**
 * The one WebSocket of a page, for all chats and runs.
 *
 * It connects when it is first used and reconnects until disposed. Every subscription then
 * continues after the last event it saw, so listeners see each event once and in order whatever
 * happens to the connection. If a proxy blocks sockets, it polls until one gets through.
 */
export class RunSocket implements IDisposable {
  constructor(options: RunSocket.IOptions) {
    this._url = options.url;
    this._WebSocket = options.WebSocket ?? WebSocket;
    this._times = options.times ?? TIMES;
    if (options.source) {
      this._source = options.source;
      this._poller = new Poller({
        source: options.source,
        wanted: () => this._listeners,
        isHidden: () => options.page?.isHidden ?? false,
        receive: message => this._receive(message),
        answered: ok => this._onPolled(ok)
      });
    }
    this._waking = options.page?.onWake(() => this.wake()) ?? null;
  }

  /** Whether the server can be reached now. */
  get connected(): boolean {
    return this._isConnected;
  }

  /** Whether it polls because no socket gets through. */
  get isPolling(): boolean {
    return this._poller?.isRunning ?? false;
  }

  /** The server's clock minus this browser's, in milliseconds. */
  get skew(): number {
    return this._skew ?? this._source?.skew ?? 0;
  }

  /** Emitted when `connected` changes. */
  get connectedChanged(): ISignal<this, boolean> {
    return this._connectedChanged;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Follow a run's events after a given number. */
  subscribe(run: string, after: number, listener: IRunListener): IDisposable {
    const { subscriptions } = this._listeners;
    const subscription: ISubscription = { run, seen: after, listener };
    subscriptions.add(subscription);
    this._ask(this._subscribeMessage(run));
    return new DisposableDelegate(() => {
      subscriptions.delete(subscription);
      if (!this._listeners.follows(run)) {
        this._missing.delete(run);
        this._refusals.delete(run);
        this._send({ unsubscribe: run });
      }
    });
  }

  /** Follow the runs of a chat, or of all chats. */
  watch(chat: Watched, watcher: IChatWatcher): IDisposable {
    const { watches } = this._listeners;
    const watch: IWatch = { chat, watcher };
    watches.add(watch);
    this._ask(watchMessage(chat, true));
    return new DisposableDelegate(() => {
      watches.delete(watch);
      if (!this._listeners.chats.has(chat)) {
        this._send(watchMessage(chat, false));
      }
    });
  }

  /**
   * Send a message on this connection; null if that is not possible now. Rejects with a network
   * error if no answer comes: the run may exist then.
   */
  send(run: INewRun): Promise<IRun> | null {
    const { _socket: socket, _times: times } = this;
    return this._open && this._proved && socket
      ? this._sends.send(run, text => socket.send(text), times.answer)
      : null;
  }

  /** Say that somebody writes to a provider, to which the server may connect; return whether that was said. */
  prepare(provider: string): boolean {
    return this._send({ prepare: provider });
  }

  /** Called when the page or the network is back: connect at once, or check the connection. */
  wake(): void {
    if (this._isDisposed || this._listeners.isEmpty) {
      return;
    }
    if (this._socket === null) {
      this._attempt = 0;
      this._connect();
    } else {
      this._check();
    }
    this._poller?.poke();
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._poller?.stop();
    clearTimeout(this._deadline);
    this._waking?.dispose();
    clearTimeout(this._timer);
    clearInterval(this._heartbeat);
    this._listeners.clear();
    this._sends.lose();
    this._socket?.close();
    Signal.clearData(this);
  }

  private _connect(): void {
    clearTimeout(this._timer);
    const socket = new this._WebSocket(this._url());
    this._socket = socket;
    this._expect(socket, this._times.proof);
    socket.onopen = () => {
      if (this._socket !== socket) {
        return;
      }
      this._open = true;
      this._missing.clear();
      this._refusals.clear();
      for (const run of this._listeners.runs.keys()) {
        this._send(this._subscribeMessage(run));
      }
      this._sendWatches();
      clearInterval(this._heartbeat);
      this._beaten = Date.now();
      this._heartbeat = setInterval(() => this._beat(), this._times.heartbeat);
    };
    socket.onmessage = event => {
      if (this._socket === socket) {
        this._onHeard();
        this._receive(JSON.parse(event.data as string) as ServerMessage);
      }
    };
    socket.onclose = () => this._lost(socket);
    // An error is always followed by a close.
    socket.onerror = null;
  }

  private _onHeard(): void {
    this._heard = Date.now();
    clearTimeout(this._deadline);
    if (!this._proved) {
      this._proved = true;
      this._attempt = 0;
      this._failures = 0;
      this._poller?.stop();
      this._setConnected(true);
    }
  }

  /** Close a socket unless a message arrives in time. */
  private _expect(socket: WebSocket, ms: number): void {
    clearTimeout(this._deadline);
    this._deadline = setTimeout(() => this._giveUp(socket), ms);
  }

  /** Close the connection unless it responds. */
  private _check(): void {
    if (this._open && this._socket) {
      this._send({ ping: Date.now() });
      this._expect(this._socket, this._times.check);
    }
  }

  private _giveUp(socket: WebSocket): void {
    socket.close();
    this._lost(socket);
  }

  private _lost(socket: WebSocket): void {
    if (this._socket !== socket) {
      return;
    }
    this._socket = null;
    clearInterval(this._heartbeat);
    clearTimeout(this._deadline);
    this._failures = this._proved ? 0 : this._failures + 1;
    this._open = this._proved = false;
    this._sends.lose();
    if (!this.isPolling) {
      this._setConnected(false);
    }
    if (!this._isDisposed && !this._listeners.isEmpty) {
      const delay = this._delay(this._attempt++);
      this._timer = setTimeout(() => this._connect(), delay);
      if (this._failures >= BLOCKED_AFTER) {
        this._poller?.start();
      }
    }
  }

  private _beat(): void {
    const socket = this._socket;
    if (!socket) {
      return;
    }
    const now = Date.now();
    const slept = now - this._beaten > this._times.heartbeat * 1.5;
    this._beaten = now;
    if (slept) {
      this.wake();
    } else if (now - this._heard > this._times.silence) {
      // Half-open: the network is gone without a close.
      this._giveUp(socket);
    } else {
      this._send({ ping: now });
    }
  }

  private _onPolled(ok: boolean): void {
    this._setConnected(ok || this._proved);
  }

  private _receive(message: ServerMessage): void {
    if ('ping' in message) {
      this._skew = message.ping - Date.now();
      this._send({ pong: message.ping });
    } else if ('status' in message) {
      this._listeners.each(message.status.id, ({ listener }) =>
        listener.onStatus(message.status)
      );
    } else if ('event' in message) {
      this._deliver(message.run, message.event);
    } else if ('events' in message) {
      for (const event of message.events) {
        this._deliver(message.run, event);
      }
    } else if ('gathered' in message) {
      for (const { run, events } of message.gathered) {
        for (const event of events) {
          this._deliver(run, event);
        }
      }
    } else if ('sent' in message) {
      this._sends.onSent(message.sent);
    } else if ('refused' in message) {
      this._sends.onRefused(message);
    } else if ('runs' in message) {
      this._refusals.delete('');
      this._listeners.eachWatcher(message.chat, watcher =>
        watcher.onRuns(message.runs)
      );
    } else if ('allRuns' in message) {
      this._listeners.eachWatcher(ALL_CHATS, watcher =>
        watcher.onRuns(message.allRuns)
      );
    } else if ('changed' in message) {
      const { changed } = message;
      const tell = (watcher: IChatWatcher) => watcher.onChanged(changed);
      this._listeners.eachWatcher(changed.chat, tell);
      this._listeners.eachWatcher(ALL_CHATS, tell);
    } else if ('error' in message) {
      const { error, run } = message;
      console.warn(`Turnbook: ${error.message}`);
      if (!FINAL.has(error.code)) {
        this._renew(run);
      } else if (run !== undefined) {
        this._listeners.each(run, ({ listener }) =>
          listener.onError(error.message)
        );
      }
    }
  }

  /** Ask again, after a delay, for what the server could not provide: a run, or else the chats. */
  private _renew(run: string | undefined): void {
    const socket = this._socket;
    const key = run ?? '';
    const failures = this._refusals.get(key) ?? 0;
    this._refusals.set(key, failures + 1);
    setTimeout(() => {
      // A newer connection has already asked for everything.
      if (this._socket !== socket) {
        return;
      }
      if (run === undefined) {
        this._sendWatches();
      } else if (this._listeners.follows(run)) {
        this._send(this._subscribeMessage(run));
      }
    }, this._delay(failures));
  }

  private _sendWatches(): void {
    for (const chat of this._listeners.chats) {
      this._send(watchMessage(chat, true));
    }
  }

  private _deliver(run: string, event: IRunEvent): void {
    this._refusals.delete(run);
    if (this._missing.get(run) === event.n) {
      this._missing.delete(run);
    }
    let gap = false;
    this._listeners.each(run, subscription => {
      if (event.n === subscription.seen + 1) {
        subscription.seen = event.n;
        subscription.listener.onEvent(event);
      } else if (event.n > subscription.seen + 1) {
        gap = true;
      }
    });
    // Events were skipped; ask the journal for them, once.
    if (gap && !this._missing.has(run)) {
      this._missing.set(run, this._listeners.seen(run) + 1);
      this._send(this._subscribeMessage(run));
    }
  }

  private _subscribeMessage(run: string): ClientMessage {
    const after = this._listeners.seen(run);
    return { subscribe: run, after, batch: true, gather: true };
  }

  private _ask(message: ClientMessage): void {
    if (this._open) {
      this._send(message);
    } else if (this._socket === null) {
      this._connect();
    }
    this._poller?.poke();
  }

  /** Return whether there was a connection to send it on. */
  private _send(message: ClientMessage): boolean {
    const socket = this._open ? this._socket : null;
    socket?.send(JSON.stringify(message));
    return socket !== null;
  }

  private _delay(attempt: number): number {
    return reconnectDelay(attempt, Math.random(), this._times);
  }

  private _setConnected(connected: boolean): void {
    if (connected !== this._isConnected) {
      this._isConnected = connected;
      this._connectedChanged.emit(connected);
    }
  }

  private _WebSocket: typeof WebSocket;
  private _attempt = 0;
  private _beaten = 0;
  private _connectedChanged = new Signal<this, boolean>(this);
  private _deadline: ReturnType<typeof setTimeout> | undefined;
  // Connections in a row without a message.
  private _failures = 0;
  private _heard = 0;
  private _heartbeat: ReturnType<typeof setInterval> | undefined;
  private _isConnected = false;
  private _isDisposed = false;
  private readonly _listeners = new Listeners();
  // The missing event that was requested again, by run.
  private _missing = new Map<string, number>();
  private _open = false;
  private _poller: Poller | null = null;
  // Whether a message has arrived: some proxies accept sockets but let nothing through.
  private _proved = false;
  // What waits in a dead connection must not leave when the network is back.
  private readonly _sends = new SocketSends(() => this._check());
  private _skew: number | null = null;
  private _socket: WebSocket | null = null;
  private _source: Poller.ISource | null = null;
  /** How often in a row the server failed to provide a run, or under '' the chats. */
  private _refusals = new Map<string, number>();
  private _timer: ReturnType<typeof setTimeout> | undefined;
  private readonly _times: ITimes;
  private _url: () => string;
  private _waking: IDisposable | null;
}

function watchMessage(chat: Watched, on: boolean): ClientMessage {
  if (chat === ALL_CHATS) {
    return { watchAll: on };
  }
  return on ? { watch: chat } : { unwatch: chat };
}

/**
 * The namespace for `RunSocket` statics.
 */
export namespace RunSocket {
  export interface IOptions {
    /** The URL; read at each connection, since tokens change. */
    url: () => string;
    WebSocket?: typeof WebSocket;
    /** What to poll when no socket gets through; without it, only a socket is used. */
    source?: Poller.ISource;
    /** The page; without one, it counts as always visible. */
    page?: IPageLife;
    times?: ITimes;
  }
}
