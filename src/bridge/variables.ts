import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';

import { IReferenceProviders } from '../chat/composer/references/providers';
import { showAskingCode } from './askingcode';
import { BridgeIDs, bridgeLooks } from './commandlooks';
import { VariableProvider } from './variableprovider';

/** Refers to the variables of running kernels. */
export const variablesPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:variables',
  description:
    'Offers the variables of running kernels as references, and shows the code that asks for them.',
  autoStart: true,
  requires: [INotebookTracker, IReferenceProviders, ITranslator],
  optional: [ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker,
    providers: IReferenceProviders,
    translator: ITranslator,
    palette: ICommandPalette | null
  ): void => {
    const trans = translator.load('jupyterlab_turnbook');
    const label = trans.__('Variables');
    providers.add(
      new VariableProvider({
        label,
        notebooks: () => {
          const open: VariableProvider.INotebook[] = [];
          notebooks.forEach(({ context }) => {
            const { kernel } = context.sessionContext.session ?? {};
            if (kernel) {
              open.push({ path: context.path, kernel });
            }
          });
          return open;
        }
      })
    );
    const id = BridgeIDs.askingCode;
    app.commands.addCommand(id, {
      ...bridgeLooks(trans)[id],
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => showAskingCode(trans)
    });
    palette?.addItem({ command: id, category: trans.__('Turnbook') });
  }
};
