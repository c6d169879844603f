import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { CodeActionRegistry, ICodeActions } from './codeaction';

/** Lets other plugins add actions on code blocks. */
export const codeActionsPlugin: JupyterFrontEndPlugin<ICodeActions> = {
  id: 'jupyterlab-turnbook:code-actions',
  description: 'Lets plugins add buttons to the code blocks of replies.',
  autoStart: true,
  provides: ICodeActions,
  activate: () => new CodeActionRegistry()
};
