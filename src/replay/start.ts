import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { WidgetTracker } from '@jupyterlab/apputils';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { ITranslator } from '@jupyterlab/translation';
import { Token } from '@lumino/coreutils';

import { Door } from '../ui/door';
import { replayIcon } from '../ui/icons';
import { ILate, OPEN } from '../ui/late';
import {
  REPLAY_EXTENSION,
  REPLAY_FACTORY,
  REPLAY_PATTERN
} from './model/names';
import type { ReplayPanel } from './view/panel';
import { REPLAY_MODEL, ReplayModelFactory } from './view/readonly';

/** The file type of replays and records. */
const REPLAY_FILE_TYPE = 'turnbook-replay';

/** The open replays. */
export type IReplayPanels = WidgetTracker<ReplayPanel>;

/** The token of the open replays. */
export const IReplayPanels = new Token<IReplayPanels>(
  'jupyterlab-turnbook:IReplayPanels',
  'The open replays and records.'
);

/** Opens replays and records. */
export const replayPanelsPlugin: JupyterFrontEndPlugin<IReplayPanels> = {
  id: 'jupyterlab-turnbook:replay-panels',
  description: 'Opens replays and records, and keeps track of them.',
  autoStart: true,
  requires: [ILate, IDocumentManager, ITranslator],
  optional: [ILayoutRestorer],
  provides: IReplayPanels,
  activate: (
    { docRegistry, shell }: JupyterFrontEnd,
    late: ILate,
    documents: IDocumentManager,
    translator: ITranslator,
    restorer: ILayoutRestorer | null
  ): IReplayPanels => {
    const trans = translator.load('jupyterlab_turnbook');
    docRegistry.addFileType({
      name: REPLAY_FILE_TYPE,
      displayName: trans.__('Replay Record'),
      extensions: [REPLAY_EXTENSION],
      pattern: REPLAY_PATTERN,
      contentType: 'notebook',
      fileFormat: 'json',
      mimeTypes: ['application/x-ipynb+json'],
      icon: replayIcon
    });
    docRegistry.addModelFactory(new ReplayModelFactory());
    docRegistry.addWidgetFactory(
      new Door({
        name: REPLAY_FACTORY,
        label: REPLAY_FACTORY,
        fileTypes: [REPLAY_FILE_TYPE, 'notebook'],
        defaultFor: [REPLAY_FILE_TYPE],
        modelName: REPLAY_MODEL,
        readOnly: true,
        preferKernel: false,
        canStartKernel: false,
        isCurrent: widget => shell.currentWidget === widget,
        documents,
        late,
        trans
      })
    );
    const panels: IReplayPanels = new WidgetTracker({
      namespace: 'turnbook-replays'
    });
    void restorer?.restore(panels, {
      command: OPEN,
      args: panel => ({ path: panel.context.path, factory: REPLAY_FACTORY }),
      name: panel => panel.context.path
    });
    return panels;
  }
};
