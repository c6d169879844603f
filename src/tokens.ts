import type { IWidgetTracker } from '@jupyterlab/apputils';
import { Token } from '@lumino/coreutils';

import type { ChatPanel } from './chat/panel';
import type { ModelCatalog } from './providers/catalog';
import type { TurnbookAPI } from './runs/api';
import type { RunSocket } from './runs/socket';

/**
 * What all chats of a page share.
 */
export interface ITurnbook {
  readonly api: TurnbookAPI;
  readonly socket: RunSocket;
  readonly catalog: ModelCatalog;

  /** Let the user add, change and remove providers. */
  manageProviders(): void;
}

/** The token of the services. */
export const ITurnbook = new Token<ITurnbook>(
  'jupyterlab-turnbook:ITurnbook',
  'The server’s API, the page’s stream and the models, shared by all chats.'
);

/**
 * The open chats.
 */
export interface IChatTracker extends IWidgetTracker<ChatPanel> {}

/** The token of the tracker. */
export const IChatTracker = new Token<IChatTracker>(
  'jupyterlab-turnbook:IChatTracker',
  'The open chats. They are not among the notebooks of INotebookTracker.'
);
