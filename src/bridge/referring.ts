import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';

import { IReferenceProviders } from '../chat/composer/references/providers';
import { ITurnbook } from '../runs/tokens';
import { cellProvider, OpenCells, outputProvider } from './cellproviders';
import { fileProvider } from './fileprovider';
import { pairProvider } from './pairprovider';

/** Offers cells, outputs, files and earlier messages after `@` in the composer. */
export const referringPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:referring',
  description:
    'Offers cells and outputs of open notebooks, files and earlier messages after @ in the composer of a chat.',
  autoStart: true,
  requires: [IReferenceProviders, ITurnbook],
  optional: [INotebookTracker],
  activate: (
    app: JupyterFrontEnd,
    providers: IReferenceProviders,
    { api }: ITurnbook,
    notebooks: INotebookTracker | null
  ): void => {
    const { contents } = app.serviceManager;
    if (notebooks) {
      const cells = new OpenCells(notebooks);
      providers.add(cellProvider(cells));
      providers.add(outputProvider(cells));
    }
    providers.add(fileProvider({ contents, api }));
    providers.add(pairProvider());
  }
};
