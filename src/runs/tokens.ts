import { Token } from '@lumino/coreutils';

import type { ModelCatalog } from './catalog';
import type { TurnbookAPI } from './api';
import type { RunSocket } from './socket';

/** The services that all chats of a page share. */
export interface ITurnbook {
  readonly api: TurnbookAPI;
  readonly socket: RunSocket;
  readonly catalog: ModelCatalog;

  /**
   * Open the dialog in which the user adds, changes and removes providers.
   *
   * @param use - Called with a `provider/model` that the user wants to use in the chat.
   */
  manageProviders(use?: (model: string) => void): void;

  /**
   * Open the dialog in which the user downloads and removes models that run on the Jupyter server's
   * machine.
   *
   * @param use - As above.
   */
  localModels(use?: (model: string) => void): void;
}

/** The token of the services. */
export const ITurnbook = new Token<ITurnbook>(
  'jupyterlab-turnbook:ITurnbook',
  'The server’s API, the page’s stream and the models, shared by all chats.'
);
