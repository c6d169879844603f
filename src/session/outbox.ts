import type { IDisposable } from '@lumino/disposable';

import type { Draft } from './draft';

/** A message that is being sent to the server. */
export interface IHeldMessage {
  pair: string;
  text: string;
  runId: string;
  /** When it was sent. */
  at: number;
  /** When its page last reported that it is still sending it. */
  seen?: number;
  /** Whether its pair existed before. */
  resend?: boolean;
}

const PREFIX = 'turnbook:outbox:';

/** How often a page reports that its message is still being sent. */
const BEAT_MS = 20_000;

/**
 * After how long without a report a message counts as lost. Browsers throttle the timers of a
 * hidden page to once a minute.
 */
const LOST_MS = 150_000;

/**
 * The messages of a chat that were sent and are not yet known to have reached the server.
 *
 * They outlive the page, so that a message is either in the journal or back in the composer. Each
 * has its own entry, because several tabs may be sending.
 */
export class Outbox implements IDisposable {
  constructor(private _storage: Outbox.IStorage) {}

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /**
   * Store messages under this name from now on: the chat's id, or its path before it has one.
   *
   * This includes what earlier pages left under this name or an earlier one.
   */
  open(name: string): void {
    this._names = [...this._names, `${PREFIX}${name}`];
  }

  /** The messages of all tabs, oldest first. */
  get all(): IHeldMessage[] {
    return this._keys()
      .flatMap(key => this._read(key) ?? [])
      .sort((a, b) => a.at - b.at);
  }

  /** How long to wait for the page that is sending a message, in milliseconds. */
  patience({ seen, at }: IHeldMessage): number {
    return (seen ?? at) + LOST_MS - Date.now();
  }

  /** Store a message until it is taken out; this page is sending it. */
  put(message: IHeldMessage): void {
    this.rest();
    const name = this._names[this._names.length - 1];
    const key = name && `${name}:${message.runId}`;
    if (!key || !this._write(key, message)) {
      return;
    }
    this._sending = key;
    this._beat = setInterval(() => {
      if (this._storage.getItem(key) !== null) {
        this._write(key, { ...message, seen: Date.now() });
      }
    }, BEAT_MS);
  }

  /** Whether another tab has restored the message that this page is sending. */
  get wasTaken(): boolean {
    return this._sending !== null && !this._storage.getItem(this._sending);
  }

  /**
   * Remove a message that has arrived or goes back to the composer; return whether it was there.
   */
  take(runId: string): boolean {
    const keys = this._keys().filter(key => this._read(key)?.runId === runId);
    keys.forEach(key => this._storage.removeItem(key));
    return keys.length > 0;
  }

  /** Record that this page is no longer sending. */
  rest(): void {
    clearInterval(this._beat);
    this._sending = null;
  }

  dispose(): void {
    this._isDisposed = true;
    this.rest();
  }

  private _keys(): string[] {
    const { _names: names, _storage: storage } = this;
    const keys = Array.from({ length: storage.length }, (_, n) =>
      storage.key(n)
    );
    return keys.filter(
      // Earlier versions stored the one message of a chat under the name alone.
      (key): key is string =>
        names.some(name => key === name || !!key?.startsWith(`${name}:`))
    );
  }

  private _read(key: string): IHeldMessage | null {
    try {
      const { pair, text, runId, at, seen, resend } = JSON.parse(
        this._storage.getItem(key) ?? '{}'
      ) as IHeldMessage;
      return [pair, text, runId].every(value => typeof value === 'string')
        ? {
            pair,
            text,
            runId,
            at: Number(at) || 0,
            ...(seen ? { seen: Number(seen) || 0 } : {}),
            resend: resend === true
          }
        : null;
    } catch (error) {
      console.warn('Turnbook: the outbox cannot be read', error);
      return null;
    }
  }

  private _write(key: string, message: IHeldMessage): boolean {
    try {
      this._storage.setItem(key, JSON.stringify(message));
      return true;
    } catch (error) {
      // Too long for the browser's storage; once saved, the document has it too.
      console.warn('Turnbook: a message cannot be held', error);
      return false;
    }
  }

  private _beat: ReturnType<typeof setInterval> | undefined;
  private _isDisposed = false;
  private _names: string[] = [];
  /** The key of the message that this page is sending. */
  private _sending: string | null = null;
}

export namespace Outbox {
  /** The browser's `localStorage`, which all tabs share. */
  export type IStorage = Draft.IStorage & Pick<Storage, 'length' | 'key'>;
}
