import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IConsoleTracker } from '@jupyterlab/console';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';

import { IReferenceProviders } from '../chat/composer/references/providers';
import { showAskingCode } from './askingcode';
import { BridgeIDs, bridgeLooks } from './commandlooks';
import { OpenKernels } from './openkernels';
import { VariableProvider } from './variableprovider';

/** Refers to the variables of running kernels. */
export const variablesPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:variables',
  description:
    'Offers the variables of running kernels as references, and shows the code that asks for them.',
  autoStart: true,
  requires: [INotebookTracker, IReferenceProviders, ITranslator],
  optional: [ICommandPalette, IConsoleTracker],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker,
    providers: IReferenceProviders,
    translator: ITranslator,
    palette: ICommandPalette | null,
    consoles: IConsoleTracker | null
  ): void => {
    const trans = translator.load('jupyterlab_turnbook');
    const label = trans.__('Variables');
    const open = new OpenKernels(notebooks, consoles);
    providers.add(new VariableProvider({ label, kernels: () => open.list }));
    const id = BridgeIDs.askingCode;
    app.commands.addCommand(id, {
      ...bridgeLooks(trans)[id],
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => showAskingCode(trans)
    });
    palette?.addItem({ command: id, category: trans.__('Turnbook') });
  }
};
