import { Token } from '@lumino/coreutils';

import type { ModelCatalog } from './catalog';
import type { TurnbookAPI } from './api';
import type { RunSocket } from './socket';

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
