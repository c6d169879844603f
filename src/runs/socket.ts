import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import type { ClientMessage, IRun, IRunEvent, ServerMessage } from './types';

const HEARTBEAT_MS = 20_000;
const SILENCE_MS = 45_000;
const FIRST_DELAY_MS = 500;
const LAST_DELAY_MS = 30_000;

/** How long to wait before the nth reconnection, with some jitter against stampedes. */
export function reconnectDelay(attempt: number, random: number): number {
  const delay = Math.min(FIRST_DELAY_MS * 2 ** attempt, LAST_DELAY_MS);
  return delay * (0.75 + random / 2);
}

/**
 * The one WebSocket of a page, for all chats and runs.
 *
 * It connects when something is first asked of it and reconnects until disposed; every
 * subscription then goes on at the event after the last one it saw, so that listeners see
 * each event once and in order whatever happens to the connection.
 */
export class RunSocket implements IDisposable {
  constructor(options: RunSocket.IOptions) {
    this._url = options.url;
    this._WebSocket = options.WebSocket ?? WebSocket;
    this._wake = () => {
      if (this._socket === null && this._wanted && !this._isDisposed) {
        this._attempt = 0;
        this._connect();
      }
    };
    if (typeof window !== 'undefined') {
      window.addEventListener('online', this._wake);
      document.addEventListener('visibilitychange', this._wake);
    }
  }

  /** Whether the server can be reached now. */
  get connected(): boolean {
    return this._open;
  }

  /** Emitted when `connected` changed. */
  get connectedChanged(): ISignal<this, boolean> {
    return this._connectedChanged;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Follow a run's events after a number. */
  subscribe(
    run: string,
    after: number,
    listener: RunSocket.IListener
  ): IDisposable {
    const subscription = { run, seen: after, listener };
    this._subscriptions.add(subscription);
    this._ask({ subscribe: run, after: this._seen(run) });
    return new DisposableDelegate(() => {
      this._subscriptions.delete(subscription);
      if (![...this._subscriptions].some(other => other.run === run)) {
        this._missing.delete(run);
        this._say({ unsubscribe: run });
      }
    });
  }

  /** Follow what happens to a chat's runs. */
  watch(chat: string, watcher: RunSocket.IWatcher): IDisposable {
    const watch = { chat, watcher };
    this._watches.add(watch);
    this._ask({ watch: chat });
    return new DisposableDelegate(() => {
      this._watches.delete(watch);
      if (![...this._watches].some(other => other.chat === chat)) {
        this._say({ unwatch: chat });
      }
    });
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    if (typeof window !== 'undefined') {
      window.removeEventListener('online', this._wake);
      document.removeEventListener('visibilitychange', this._wake);
    }
    clearTimeout(this._timer);
    clearInterval(this._heartbeat);
    this._subscriptions.clear();
    this._watches.clear();
    this._socket?.close();
    Signal.clearData(this);
  }

  private get _wanted(): boolean {
    return this._subscriptions.size > 0 || this._watches.size > 0;
  }

  private _connect(): void {
    clearTimeout(this._timer);
    const socket = new this._WebSocket(this._url());
    this._socket = socket;
    socket.onopen = () => {
      this._attempt = 0;
      this._heard = Date.now();
      this._setOpen(true);
      this._missing.clear();
      for (const run of new Set(
        [...this._subscriptions].map(({ run }) => run)
      )) {
        this._say({ subscribe: run, after: this._seen(run) });
      }
      for (const chat of new Set([...this._watches].map(watch => watch.chat))) {
        this._say({ watch: chat });
      }
      this._heartbeat = setInterval(() => this._beat(), HEARTBEAT_MS);
    };
    socket.onmessage = event => {
      this._heard = Date.now();
      this._receive(JSON.parse(event.data as string) as ServerMessage);
    };
    socket.onclose = () => this._lost(socket);
    // An error is always followed by a close.
    socket.onerror = null;
  }

  private _lost(socket: WebSocket): void {
    if (this._socket !== socket) {
      return;
    }
    this._socket = null;
    clearInterval(this._heartbeat);
    this._setOpen(false);
    if (!this._isDisposed && this._wanted) {
      const delay = reconnectDelay(this._attempt++, Math.random());
      this._timer = setTimeout(() => this._connect(), delay);
    }
  }

  private _beat(): void {
    const socket = this._socket;
    if (!socket) {
      return;
    }
    if (Date.now() - this._heard > SILENCE_MS) {
      // Half-open: the network is gone and nobody said so.
      socket.close();
      this._lost(socket);
    } else {
      this._say({ ping: Date.now() });
    }
  }

  private _receive(message: ServerMessage): void {
    if ('ping' in message) {
      this._say({ pong: message.ping });
    } else if ('status' in message) {
      this._each(message.status.id, ({ listener }) =>
        listener.onStatus(message.status)
      );
    } else if ('event' in message) {
      this._deliver(message.run, message.event);
    } else if ('runs' in message) {
      this._eachWatch(message.chat, watcher => watcher.onRuns(message.runs));
    } else if ('changed' in message) {
      this._eachWatch(message.chat, watcher =>
        watcher.onChanged(message.changed)
      );
    } else if ('error' in message) {
      const { error, run } = message;
      console.warn(`Turnbook: ${error.message}`);
      if (run !== undefined) {
        this._each(run, ({ listener }) => listener.onError(error.message));
      }
    }
  }

  private _deliver(run: string, event: IRunEvent): void {
    if (this._missing.get(run) === event.n) {
      this._missing.delete(run);
    }
    let gap = false;
    this._each(run, subscription => {
      if (event.n === subscription.seen + 1) {
        subscription.seen = event.n;
        subscription.listener.onEvent(event);
      } else if (event.n > subscription.seen + 1) {
        gap = true;
      }
    });
    // Something fell between; the journal has it, and is asked once.
    if (gap && !this._missing.has(run)) {
      const after = this._seen(run);
      this._missing.set(run, after + 1);
      this._say({ subscribe: run, after });
    }
  }

  /** The last event that everybody who follows a run has seen. */
  private _seen(run: string): number {
    const seen: number[] = [];
    this._each(run, subscription => seen.push(subscription.seen));
    return Math.min(...seen);
  }

  private _each(run: string, visit: (item: ISubscription) => void): void {
    for (const subscription of [...this._subscriptions]) {
      if (subscription.run === run) {
        visit(subscription);
      }
    }
  }

  private _eachWatch(
    chat: string,
    visit: (watcher: RunSocket.IWatcher) => void
  ): void {
    for (const watch of [...this._watches]) {
      if (watch.chat === chat) {
        visit(watch.watcher);
      }
    }
  }

  private _ask(message: ClientMessage): void {
    if (this._open) {
      this._say(message);
    } else if (this._socket === null) {
      this._connect();
    }
  }

  private _say(message: ClientMessage): void {
    if (this._open && this._socket) {
      this._socket.send(JSON.stringify(message));
    }
  }

  private _setOpen(open: boolean): void {
    if (open !== this._open) {
      this._open = open;
      this._connectedChanged.emit(open);
    }
  }

  private _WebSocket: typeof WebSocket;
  private _attempt = 0;
  private _connectedChanged = new Signal<this, boolean>(this);
  private _heard = 0;
  private _heartbeat: ReturnType<typeof setInterval> | undefined;
  private _isDisposed = false;
  // The event that was asked for again, by run.
  private _missing = new Map<string, number>();
  private _open = false;
  private _socket: WebSocket | null = null;
  private _subscriptions = new Set<ISubscription>();
  private _timer: ReturnType<typeof setTimeout> | undefined;
  private _url: () => string;
  private _wake: () => void;
  private _watches = new Set<{ chat: string; watcher: RunSocket.IWatcher }>();
}

interface ISubscription {
  run: string;
  seen: number;
  listener: RunSocket.IListener;
}

/**
 * The namespace for `RunSocket` statics.
 */
export namespace RunSocket {
  /** What a socket needs. */
  export interface IOptions {
    /** The address; asked for at each connection, since tokens change. */
    url: () => string;
    WebSocket?: typeof WebSocket;
  }

  /** Who follows a run. */
  export interface IListener {
    onStatus(run: IRun): void;
    onEvent(event: IRunEvent): void;
    onError(message: string): void;
  }

  /** Who follows a chat. */
  export interface IWatcher {
    /** The runs that are neither landed nor dropped, after each (re)connection. */
    onRuns(runs: IRun[]): void;
    onChanged(run: IRun): void;
  }
}
