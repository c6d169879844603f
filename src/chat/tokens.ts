import type { IWidgetTracker } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { Token } from '@lumino/coreutils';
import type { ISignal } from '@lumino/signaling';

/**
 * What an open chat does, as far as others can rely on it.
 */
export interface IChatSession {
  /** Resolves when the document is read and the server was told of the chat. */
  readonly ready: Promise<void>;

  /** The model that the next message goes to, as `provider/model`. */
  readonly model: string;

  /** Why nothing can be sent now, in words for the user; null if it can. */
  readonly obstacle: string | null;

  /** Emitted when anything of the chat itself changed. */
  readonly changed: ISignal<unknown, void>;

  /** Emitted with the id of a pair that is on its way. */
  readonly sent: ISignal<unknown, string>;

  /** Emitted with the id of a pair whose reply is complete. */
  readonly landed: ISignal<unknown, string>;
}

/**
 * A chat: its cells, and below them the composer.
 */
export interface IChatPanel extends NotebookPanel {
  /** What the chat does. */
  readonly session: IChatSession;

  /** Go to the composer. */
  enterInput(): void;

  /** Go to the cells. */
  enterView(): void;
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
