import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  ICommandPalette,
  Notification,
  WidgetTracker
} from '@jupyterlab/apputils';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { IFileBrowserFactory } from '@jupyterlab/filebrowser';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator } from '@jupyterlab/translation';

import { errorMessage } from '../base/errors';
import type { RerunSource } from '../base/run';
import type { IOpenChats } from '../chat/openchats';
import { ModelSets } from '../chat/several/modelsets';
import { IChatTracker } from '../chat/tokens';
import { IReplayPanels } from '../replay/start';
import { ITurnbook } from '../runs/tokens';
import { ChatSettings, SETTINGS } from '../session/settings';
import { CommandIDs } from '../ui/commandids';
import { commandLooks } from '../ui/commands';
import { Chosen } from './chosen';
import { later, RerunList } from './list';
import { Results, withoutKernels } from './results';
import type { RerunsWidget } from './widget';

/** Files and folders in JupyterLab's file browser. */
const ITEM = '.jp-DirListing-item[data-isdir]';

/** Where the command is in its context menu: after *Compare Replies*. */
const RANK = 14.5;

/** Reruns records. */
export const rerunPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:rerun',
  description:
    'Sends the requests of records, replays and pairs again, to several models, several times.',
  autoStart: true,
  requires: [
    IChatTracker,
    IReplayPanels,
    ITurnbook,
    IDocumentManager,
    ITranslator
  ],
  optional: [
    ICommandPalette,
    ILayoutRestorer,
    IFileBrowserFactory,
    INotebookTracker,
    ISettingRegistry
  ],
  activate: (
    app: JupyterFrontEnd,
    tracker: IOpenChats,
    replays: IReplayPanels,
    { api, catalog }: ITurnbook,
    documents: IDocumentManager,
    translator: ITranslator,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null,
    browsers: IFileBrowserFactory | null,
    notebooks: INotebookTracker | null,
    registry: ISettingRegistry | null
  ): void => {
    const trans = translator.load('jupyterlab_turnbook');
    const looks = commandLooks(trans);
    const { commands, shell, contextMenu } = app;
    const settings = new ChatSettings();
    if (registry) {
      settings.load(registry.load(SETTINGS));
    }
    const sets = new ModelSets(window.localStorage);
    const chosen = new Chosen({ app, tracker, replays, browsers });
    const results = new Results({ app, documents, trans });
    if (notebooks) {
      withoutKernels(notebooks);
    }
    const list = new RerunList({ api, later });
    list.written.connect((_, { out }) => void results.reload(out));

    const tell = (acting: Promise<void>) => {
      acting.catch(error =>
        Notification.error(errorMessage(error), { autoClose: false })
      );
    };
    const widgets = new WidgetTracker<RerunsWidget>({
      namespace: 'turnbook-reruns'
    });
    const show = async () => {
      const { RerunsWidget } = await import('./widget');
      let widget = widgets.find(() => true);
      if (!widget) {
        widget = new RerunsWidget({
          list,
          trans,
          actions: {
            stop: (id, now) => tell(list.stop(id, now)),
            goOn: (id, again) => tell(list.goOn(id, again)),
            forget: id => tell(list.forget(id)),
            open: path => results.open(path)
          }
        });
        void widgets.add(widget);
        shell.add(widget, 'main');
      }
      shell.activateById(widget.id);
    };

    const ask = async (source: RerunSource) => {
      void catalog.known();
      const { askRerun } = await import('./dialog');
      const isStarted = await askRerun({
        source,
        catalog,
        sets,
        prices: settings.current.prices,
        preview: (wish, signal) => api.previewRerun(wish, signal),
        start: (id, wish, plan) => list.start(id, wish, plan),
        trans
      });
      if (isStarted) {
        await show();
      }
    };
    /** The pairs of a chat are read from its file. */
    const askPairs = async () => {
      const pairs = chosen.pairs();
      if (pairs) {
        const { context } = pairs.chat;
        if (context.model.dirty) {
          await context.save();
        }
        await ask(pairs.source);
      }
    };

    commands.addCommand(CommandIDs.rerun, {
      ...looks[CommandIDs.rerun],
      describedBy: {
        args: {
          type: 'object',
          properties: {
            files: {
              type: 'boolean',
              description: trans.__(
                'Whether to rerun the selected files and folders of the file browser'
              )
            }
          }
        }
      },
      isEnabled: ({ files }) =>
        files
          ? chosen.files() !== null
          : (chosen.replay() ?? chosen.pairs() ?? chosen.files()) !== null,
      isVisible: ({ files }) => !files || chosen.files() !== null,
      execute: async ({ files }) => {
        const source = files ? chosen.files() : chosen.replay();
        if (source) {
          await ask(source);
        } else if (!files && chosen.pairs()) {
          await askPairs();
        } else {
          const selected = chosen.files();
          if (selected) {
            await ask(selected);
          }
        }
      }
    });
    commands.addCommand(CommandIDs.reruns, {
      ...looks[CommandIDs.reruns],
      describedBy: { args: { type: 'object', properties: {} } },
      execute: show
    });
    for (const command of [CommandIDs.rerun, CommandIDs.reruns]) {
      palette?.addItem({ command, category: trans.__('Turnbook') });
    }
    if (browsers) {
      contextMenu.addItem({
        command: CommandIDs.rerun,
        args: { files: true },
        selector: ITEM,
        rank: RANK
      });
    }
    void restorer?.restore(widgets, {
      command: CommandIDs.reruns,
      name: () => 'turnbook-reruns'
    });
    // One that began before this page was loaded may be under way, with its results open.
    void app.restored.then(() => list.refresh());
  }
};
