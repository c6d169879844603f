import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, Notification } from '@jupyterlab/apputils';
import { IFileBrowserFactory } from '@jupyterlab/filebrowser';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator } from '@jupyterlab/translation';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import type { IOpenChats } from '../chat/openchats';
import { chatPlaces } from '../chat/titles';
import { IChatTracker } from '../chat/tokens';
import { ITurnbook } from '../runs/tokens';
import { Prices } from '../session/prices';
import { ChatSettings, SETTINGS } from '../session/settings';
import { CommandIDs } from '../ui/commandids';
import { commandLooks } from '../ui/commands';
import { Chosen } from './chosen';
import { itemsKey, readItems, type IItem } from './items';
import { followReplies } from './followreplies';
import { loadSides } from './load';
import { IComparisons } from './start';
import { CompareWidget } from './widget';

/** Compares replies, chats and records. */
export const comparePlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:compare',
  description:
    'Shows versions, siblings, forks, chats, replay records and results side by side.',
  autoStart: true,
  requires: [IChatTracker, ITurnbook, ITranslator, IComparisons],
  optional: [
    ICommandPalette,
    IFileBrowserFactory,
    INotebookTracker,
    ISettingRegistry
  ],
  activate: (
    app: JupyterFrontEnd,
    tracker: IOpenChats,
    { api, catalog }: ITurnbook,
    translator: ITranslator,
    widgets: IComparisons,
    palette: ICommandPalette | null,
    browsers: IFileBrowserFactory | null,
    notebooks: INotebookTracker | null,
    registry: ISettingRegistry | null
  ): void => {
    const trans = translator.load('jupyterlab_turnbook');
    const { commands, shell } = app;
    const { contents } = app.serviceManager;
    const settings = new ChatSettings();
    if (registry) {
      settings.load(registry.load(SETTINGS));
    }
    const prices = new Prices({ catalog, settings });
    const chosen = new Chosen({ app, tracker, browsers, notebooks });
    followReplies({ chats: tracker, comparisons: widgets, contents });

    const show = (items: IItem[]): void => {
      const key = itemsKey(items);
      const open = widgets.find(
        ({ content }) => itemsKey(content.items) === key
      );
      if (open) {
        shell.activateById(open.id);
        void open.content.refresh();
        return;
      }
      const widget = new CompareWidget({
        items,
        load: wanted =>
          loadSides(wanted, { tracker, contents, api, priceOf: prices.of }),
        trans
      });
      const opener = shell.currentWidget;
      widget.content.itemsChanged.connect(() => void widgets.save(widget));
      widget.content.closeRequested.connect(() => {
        widget.close();
        if (opener && !opener.isDisposed) {
          shell.activateById(opener.id);
        }
      });
      void widgets.add(widget);
      shell.add(widget, 'main');
      shell.activateById(widget.id);
    };

    /** What the arguments of the command, or the place where the user is, say. */
    const wanted = (args: ReadonlyPartialJSONObject): IItem[] | null => {
      const { items, files, pair, siblings } = args;
      if (items !== undefined) {
        return readItems(items);
      }
      if (files) {
        return chosen.files();
      }
      return (
        chosen.versions(
          typeof pair === 'string' ? pair : undefined,
          Array.isArray(siblings) ? (siblings as number[]) : undefined
        ) ?? chosen.results()
      );
    };
    const isForFork = ({ items, files }: ReadonlyPartialJSONObject) =>
      items === undefined && !files && chosen.fork() !== null;

    const withOriginal = async (): Promise<IItem[] | null> => {
      const { path, original } = chosen.fork()!;
      const places = await chatPlaces([original], tracker, api);
      const found = places.get(original);
      return found ? [{ path: found.path }, { path }] : null;
    };

    commands.addCommand(CommandIDs.compare, {
      ...commandLooks(trans)[CommandIDs.compare],
      describedBy: {
        args: {
          type: 'object',
          properties: {
            items: {
              type: 'array',
              description: trans.__(
                'Two to four files, each with a path, and the pair and the version in it, or the cell with a result'
              )
            },
            files: {
              type: 'boolean',
              description: trans.__(
                'Whether to compare the selected files of the file browser'
              )
            },
            pair: { type: 'string', description: trans.__('The pair') },
            siblings: {
              type: 'array',
              description: trans.__('The numbers of the replies to the pair')
            }
          }
        }
      },
      isEnabled: args => wanted(args) !== null || isForFork(args),
      isVisible: args => !args.files || chosen.files() !== null,
      execute: async args => {
        const items =
          wanted(args) ?? (isForFork(args) ? await withOriginal() : null);
        if (items) {
          show(items);
        } else {
          Notification.warning(
            isForFork(args)
              ? trans.__(
                  'The chat that this one was started from cannot be found.'
                )
              : trans.__(
                  'Choose a pair with several versions, or two to four chats, records or results.'
                ),
            { autoClose: 6000 }
          );
        }
      }
    });
    palette?.addItem({
      command: CommandIDs.compare,
      category: trans.__('Turnbook')
    });
  }
};
