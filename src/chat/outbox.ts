import type { Draft } from './draft';

/** A message on its way to the server. */
export interface IHeldMessage {
  pair: string;
  text: string;
  runId: string;
  /** When it was sent. */
  at: number;
  /** Whether its pair was there before. */
  resend?: boolean;
}

/**
 * The message of a chat that was sent and is not yet known to have reached the server.
 *
 * It outlives the page, so that a message is either in the journal or back in the composer.
 */
export class Outbox {
  constructor(private _storage: Draft.IStorage) {}

  /** Take up what an earlier page left behind. */
  open(chatId: string): void {
    this._key = `turnbook:outbox:${chatId}`;
  }

  /** The message, if there is one. */
  get held(): IHeldMessage | null {
    const stored = this._key && this._storage.getItem(this._key);
    if (!stored) {
      return null;
    }
    try {
      const { pair, text, runId, at, resend } = JSON.parse(
        stored
      ) as IHeldMessage;
      return [pair, text, runId].every(value => typeof value === 'string')
        ? { pair, text, runId, at: Number(at) || 0, resend: resend === true }
        : null;
    } catch (error) {
      console.warn('Turnbook: the outbox cannot be read', error);
      return null;
    }
  }

  /** Hold a message until `clear`. */
  put(message: IHeldMessage): void {
    try {
      if (this._key) {
        this._storage.setItem(this._key, JSON.stringify(message));
      }
    } catch (error) {
      // Too long for the browser's storage; the document has it too once it is saved.
      console.warn('Turnbook: a message cannot be held', error);
    }
  }

  /** It has arrived, or it is back in the composer. */
  clear(): void {
    if (this._key) {
      this._storage.removeItem(this._key);
    }
  }

  private _key: string | null = null;
}

const OWN_KEY = 'turnbook:own-runs';
const MOST_OWN = 100;

/**
 * The runs that this tab began. Reloading the tab does not make them somebody else's.
 */
export class OwnRuns {
  constructor(private _storage: Draft.IStorage) {
    try {
      const stored: unknown = JSON.parse(_storage.getItem(OWN_KEY) ?? '[]');
      if (Array.isArray(stored)) {
        this._ids = new Set(stored.map(String));
      }
    } catch (error) {
      console.warn('Turnbook: the runs of this tab cannot be read', error);
    }
  }

  has(id: string): boolean {
    return this._ids.has(id);
  }

  add(id: string): void {
    this._ids.add(id);
    const kept = [...this._ids].slice(-MOST_OWN);
    this._ids = new Set(kept);
    try {
      this._storage.setItem(OWN_KEY, JSON.stringify(kept));
    } catch (error) {
      console.warn('Turnbook: the runs of this tab cannot be kept', error);
    }
  }

  private _ids = new Set<string>();
}
