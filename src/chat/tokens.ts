import type { IWidgetTracker } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { Token } from '@lumino/coreutils';
import type { ISignal } from '@lumino/signaling';

import type { IAttachment } from '../document/attachments';

/** The stable interface of an open chat. */
export interface IChatSession {
  /** Resolves when the document has been read and the server knows the chat. */
  readonly ready: Promise<void>;

  /** The model of the next message, as `provider/model`. */
  readonly model: string;

  /** Why nothing can be sent now, as a text for the user; null if it can. */
  readonly obstacle: string | null;

  /** Emitted when the chat's own state changes. */
  readonly changed: ISignal<unknown, void>;

  /** Emitted with the id of a pair that is being sent. */
  readonly sent: ISignal<unknown, string>;

  /** Emitted with the id of a pair whose reply is complete. */
  readonly landed: ISignal<unknown, string>;
}

/**
 * A chat: its cells, and below them the composer.
 */
export interface IChatPanel extends NotebookPanel {
  readonly session: IChatSession;

  /** Focus the composer. */
  enterInput(): void;

  /** Focus the cells. */
  enterView(): void;

  /** Attach something to the message being written, and focus the composer. Sends nothing. */
  attach(attachments: readonly IAttachment[]): void;
}

/**
 * The open chats.
 */
export interface IChatTracker extends IWidgetTracker<IChatPanel> {}

/** The token of the tracker. */
export const IChatTracker = new Token<IChatTracker>(
  'jupyterlab-turnbook:IChatTracker',
  'The open chats. They are not among the notebooks of INotebookTracker.'
);
