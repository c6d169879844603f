import type { IDisposable } from '@lumino/disposable';

import { isObject } from '../../base/json';
import type { ReplayManager } from './manager';
import type { IKept } from './store';

/** The part of a `BroadcastChannel` that is used. */
interface IChannel {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: unknown): void;
  close(): void;
}

/**
 * Hands replays from the page that built them to the page that shows them.
 *
 * In Jupyter Notebook every document is a page of its own. The page of a replay asks for it, and a
 * page that has it answers; nothing is stored. An answer that was not asked for is ignored.
 */
export class Handover implements IDisposable {
  constructor(
    private _manager: Pick<ReplayManager, 'get' | 'take'>,
    private _channel: IChannel = new BroadcastChannel('turnbook-replays')
  ) {
    this._channel.onmessage = ({ data }) => this._onMessage(data);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Ask the other pages for a replay, unless this page has it. */
  ask(key: string): void {
    if (!this._manager.get(key)) {
      this._asked.add(key);
      this._channel.postMessage({ ask: key });
    }
  }

  dispose(): void {
    this._isDisposed = true;
    this._channel.close();
  }

  private _onMessage(message: unknown): void {
    if (!isObject(message)) {
      return;
    }
    const { ask, give } = message as { ask?: unknown; give?: IKept };
    if (typeof ask === 'string') {
      const entry = this._manager.get(ask);
      if (entry?.current) {
        const { key, origin, current: built } = entry;
        this._channel.postMessage({ give: { key, origin, built } });
      }
    } else if (give?.key !== undefined && this._asked.delete(give.key)) {
      this._manager.take(give);
    }
  }

  private _asked = new Set<string>();
  private _isDisposed = false;
}
