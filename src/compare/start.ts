import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { WidgetTracker } from '@jupyterlab/apputils';
import { IFileBrowserFactory } from '@jupyterlab/filebrowser';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';
import { Token } from '@lumino/coreutils';

import { CommandIDs } from '../ui/commandids';
import { commandLooks } from '../ui/commands';
import { ILate } from '../ui/late';
import { chosenFiles, chosenResults } from './chosenfiles';
import { itemsKey } from './items';
import type { CompareWidget } from './widget';

/** A file in JupyterLab's file browser. */
const FILE = '.jp-DirListing-item[data-isdir="false"]';

/** Where the command is in its context menu: after those that open, rename or copy. */
const RANK = 14;

/** The open comparisons. */
export type IComparisons = WidgetTracker<CompareWidget>;

/** The token of the open comparisons. */
export const IComparisons = new Token<IComparisons>(
  'jupyterlab-turnbook:IComparisons',
  'The open comparisons.'
);

/** Offers to compare files, and restores comparisons. */
export const comparisonsPlugin: JupyterFrontEndPlugin<IComparisons> = {
  id: 'jupyterlab-turnbook:comparisons',
  description: 'Offers to compare files, and keeps track of comparisons.',
  autoStart: true,
  requires: [ILate, ITranslator],
  optional: [ILayoutRestorer, IFileBrowserFactory, INotebookTracker],
  provides: IComparisons,
  activate: (
    { contextMenu, shell }: JupyterFrontEnd,
    late: ILate,
    translator: ITranslator,
    restorer: ILayoutRestorer | null,
    browsers: IFileBrowserFactory | null,
    notebooks: INotebookTracker | null
  ): IComparisons => {
    const trans = translator.load('jupyterlab_turnbook');
    const files = () => chosenFiles(browsers) !== null;
    late.addCommand(CommandIDs.compare, {
      ...commandLooks(trans)[CommandIDs.compare],
      isEnabled: args =>
        args.items !== undefined ||
        (args.files ? files() : chosenResults(shell, notebooks) !== null),
      isVisible: args => !args.files || files()
    });
    if (browsers) {
      contextMenu.addItem({
        command: CommandIDs.compare,
        args: { files: true },
        selector: FILE,
        rank: RANK
      });
    }
    const widgets: IComparisons = new WidgetTracker({
      namespace: 'turnbook-compare'
    });
    void restorer?.restore(widgets, {
      command: CommandIDs.compare,
      args: ({ content }) => ({
        items: content.items.map(item => ({ ...item }))
      }),
      name: ({ content }) => itemsKey(content.items)
    });
    return widgets;
  }
};
