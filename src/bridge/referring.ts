import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IConsoleTracker } from '@jupyterlab/console';
import { IEditorTracker } from '@jupyterlab/fileeditor';
import { INotebookTracker } from '@jupyterlab/notebook';

import { IReferenceProviders } from '../chat/composer/references/providers';
import type { IOpenChats } from '../chat/openchats';
import type { ChatPanel } from '../chat/panel';
import { IChatTracker } from '../chat/tokens';
import { ITurnbook } from '../runs/tokens';
import { cellProvider, OpenCells, outputProvider } from './cellproviders';
import { freezeChatAttachment } from './chatattachments';
import { FileProvider } from './fileprovider';
import { DraggedText } from './draggedtext';
import { acceptCells, acceptPaths } from './droppedcells';
import { OpenKernels } from './openkernels';
import { openReferences } from './openreferences';
import { pairProvider } from './pairprovider';
import { offerTables } from './pastedtable';
import { ReferenceWatch } from './referencewatch';
import { ReferenceSources } from './sources';

/** Offers cells, outputs, files and earlier messages after `@` in the composer. */
export const referringPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:referring',
  description:
    'Offers cells and outputs of open notebooks, files and earlier messages after @ in the composer of a chat.',
  autoStart: true,
  requires: [IReferenceProviders, ITurnbook, IChatTracker],
  optional: [INotebookTracker, IConsoleTracker, IEditorTracker],
  activate: (
    app: JupyterFrontEnd,
    providers: IReferenceProviders,
    { api }: ITurnbook,
    chats: IChatTracker,
    notebooks: INotebookTracker | null,
    consoles: IConsoleTracker | null,
    editors: IEditorTracker | null
  ): void => {
    const { contents } = app.serviceManager;
    if (notebooks) {
      const cells = new OpenCells(notebooks);
      providers.add(cellProvider(cells));
      providers.add(outputProvider(cells));
    }
    const reader = { contents, api };
    providers.add(
      new FileProvider(reader, described =>
        freezeChatAttachment(described, { reader, notebooks })
      )
    );
    providers.add(pairProvider());
    const sources = new ReferenceSources({
      notebooks,
      editors,
      kernels: new OpenKernels(notebooks, consoles),
      reader
    });
    contents.fileChanged.connect((_, { type, oldValue, newValue }) => {
      if (type === 'rename' && oldValue?.path && newValue?.path) {
        sources.rename(oldValue.path, newValue.path);
      }
    });
    const dragged = new DraggedText({ notebooks, editors });
    const connect = (panel: ChatPanel) => {
      openReferences(panel, sources);
      acceptCells(panel);
      acceptPaths(panel);
      dragged.accept(panel);
      offerTables(panel);
      if (notebooks) {
        new ReferenceWatch({ panel, notebooks, editors, sources });
      }
    };
    const open = chats as unknown as IOpenChats;
    open.forEach(connect);
    open.widgetAdded.connect((_, panel) => connect(panel));
  }
};
