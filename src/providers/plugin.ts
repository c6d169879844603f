import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ITranslator } from '@jupyterlab/translation';

import { setLanguage } from '../base/words';
import { domPage } from './dompage';
import { ModelCatalog } from '../runs/catalog';
import { ITurnbook } from '../runs/tokens';
import { TurnbookAPI } from '../runs/api';
import { RunSocket } from '../runs/socket';

/** Provides the services that all chats of a page share. */
export const servicesPlugin: JupyterFrontEndPlugin<ITurnbook> = {
  id: 'jupyterlab-turnbook:services',
  description: 'The server’s API, the page’s stream and the models.',
  autoStart: true,
  requires: [ITranslator],
  provides: ITurnbook,
  activate: (app: JupyterFrontEnd, translator: ITranslator): ITurnbook => {
    setLanguage(translator.load('jupyterlab_turnbook'));
    const { serverSettings } = app.serviceManager;
    const api = new TurnbookAPI({ serverSettings });
    const socket = new RunSocket({
      url: () => api.streamUrl,
      WebSocket: serverSettings.WebSocket,
      source: api,
      page: domPage()
    });
    const catalog = new ModelCatalog({ api });
    return {
      api,
      socket,
      catalog,
      manageProviders: async use => {
        const { showProviders } = await import('./providersdialog');
        await showProviders(api, catalog, translator, use);
      },
      localModels: async use => {
        const { showLocalModels } = await import('./localmodelsdialog');
        await showLocalModels(api, catalog, translator, use);
      }
    };
  }
};
