import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IMermaidManager } from '@jupyterlab/mermaid';

import { Diagrams, IDiagrams } from './diagrams';

/** Draws diagrams, where JupyterLab can. */
export const diagramsPlugin: JupyterFrontEndPlugin<IDiagrams> = {
  id: 'jupyterlab-turnbook:diagrams',
  description: 'Shows the diagrams of replies as pictures when asked to.',
  autoStart: true,
  requires: [IMermaidManager],
  provides: IDiagrams,
  activate: (_: JupyterFrontEnd, mermaid: IMermaidManager) =>
    new Diagrams(mermaid)
};
