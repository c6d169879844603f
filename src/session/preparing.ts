import { splitModel } from '../request/render';
import type { RunSocket } from '../runs/socket';
import type { ChatAbout } from './about';
import type { Draft } from './draft';

/** How long the server keeps a connection ready; there is no point in asking again earlier. */
const READY_MS = 20_000;

/**
 * Tells the server when somebody writes, so that it connects to the chat's provider before the
 * message is sent.
 */
export class Preparing {
  constructor(private readonly _options: Preparing.IOptions) {
    _options.draft.changed.connect(this._onDraft, this);
  }

  dispose(): void {
    this._options.draft.changed.disconnect(this._onDraft, this);
  }

  private _onDraft(): void {
    const { about, draft, now = Date.now, socket } = this._options;
    if (!draft.text) {
      // It was sent, on the connection that was ready.
      this._provider = '';
      return;
    }
    // A draft from an earlier page is not being written, and some chats may not send as they are.
    if (!draft.isOurs || about.asks || about.missingModel) {
      return;
    }
    const { provider } = splitModel(about.model);
    const isNew = provider !== this._provider;
    if (
      provider &&
      (isNew || now() - this._at >= READY_MS) &&
      socket.prepare(provider)
    ) {
      this._provider = provider;
      this._at = now();
    }
  }

  private _at = 0;
  private _provider = '';
}

/**
 * The namespace for `Preparing` statics.
 */
export namespace Preparing {
  export interface IOptions {
    about: Pick<ChatAbout, 'asks' | 'missingModel' | 'model'>;
    draft: Pick<Draft, 'changed' | 'isOurs' | 'text'>;
    now?: () => number;
    socket: Pick<RunSocket, 'prepare'>;
  }
}
