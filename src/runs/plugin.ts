import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ITranslator } from '@jupyterlab/translation';

import { ModelCatalog, showProviders } from '../providers';
import { ITurnbook } from '../tokens';
import { TurnbookAPI } from './api';
import { RunSocket } from './socket';

/** What all chats of a page share. */
export const servicesPlugin: JupyterFrontEndPlugin<ITurnbook> = {
  id: 'jupyterlab-turnbook:services',
  description: 'The server’s API, the page’s stream and the models.',
  autoStart: true,
  requires: [ITranslator],
  provides: ITurnbook,
  activate: (app: JupyterFrontEnd, translator: ITranslator): ITurnbook => {
    const { serverSettings } = app.serviceManager;
    const api = new TurnbookAPI({ serverSettings });
    const socket = new RunSocket({
      url: () => api.streamUrl,
      WebSocket: serverSettings.WebSocket,
      source: api
    });
    const catalog = new ModelCatalog({ api });
    return {
      api,
      socket,
      catalog,
      manageProviders: () => void showProviders(api, catalog, translator)
    };
  }
};
