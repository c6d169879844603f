import {
  ILabShell,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  CommandToolbarButton,
  ICommandPalette,
  IToolbarWidgetRegistry,
  Notification,
  showErrorMessage
} from '@jupyterlab/apputils';
import { isCodeCellModel, type Cell } from '@jupyterlab/cells';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { IEditorTracker } from '@jupyterlab/fileeditor';
import {
  INotebookTracker,
  NotebookActions,
  type NotebookPanel
} from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { browserStorage } from '../base/storage';
import type { IOpenChats } from '../chat/openchats';
import { IChatTracker } from '../chat/tokens';
import type { IAttachment } from '../document/attachments';
import { ITurnbook } from '../runs/tokens';
import { ILate } from '../ui/late';
import { AskedElsewhere, type IAsked } from './asked';
import { ask } from './askin';
import { ChatsAbout } from './chatsabout';
import { BridgeIDs, bridgeLooks, type BridgeID } from './commandlooks';
import { markErrors } from './errorbutton';
import {
  cellAttachments,
  cellOutputAttachments,
  errorAttachments,
  fileSelection,
  hasOutputs,
  hasSelection,
  isSelecting,
  notebookSelection,
  selectedCells,
  showsError
} from './notebookparts';
import { Pairings } from './pairings';

/** The cells of notebooks that are no chats. */
const CELL = '.jp-NotebookPanel:not(.jp-Turnbook-chat) .jp-Notebook .jp-Cell';

/** Where the commands are in the context menu of a cell. */
const RANK = 7.5;

/** Asks about parts of notebooks and files. */
export const askingPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:beside',
  description:
    'Opens the chat about a notebook or file beside it, and attaches cells, outputs, errors and selections.',
  autoStart: true,
  requires: [
    IChatTracker,
    IDocumentManager,
    INotebookTracker,
    ITranslator,
    ITurnbook,
    ILate
  ],
  optional: [
    ICommandPalette,
    IEditorTracker,
    ILabShell,
    IToolbarWidgetRegistry
  ],
  activate: (
    app: JupyterFrontEnd,
    tracker: IOpenChats,
    documents: IDocumentManager,
    notebooks: INotebookTracker,
    translator: ITranslator,
    { api }: ITurnbook,
    late: ILate,
    palette: ICommandPalette | null,
    editors: IEditorTracker | null,
    labShell: ILabShell | null,
    toolbars: IToolbarWidgetRegistry | null
  ): void => {
    const trans = translator.load('jupyterlab_turnbook');
    const looks = bridgeLooks(trans);
    const { commands, contextMenu, shell } = app;
    const chats = new ChatsAbout({
      documents,
      tracker,
      pairings: new Pairings(window.localStorage),
      api,
      storage: window.localStorage
    });
    const elsewhere = new AskedElsewhere(browserStorage());
    tracker.widgetAdded.connect(async (_, panel) => {
      await panel.session.ready;
      const asked = await elsewhere.take(panel.context.path);
      if (asked && !panel.isDisposed) {
        ask(panel, asked);
      }
    });

    /** Open the chat about a file, with something attached to its message. */
    const askAbout = async (
      path: string,
      ref: string,
      asked: IAsked
    ): Promise<void> => {
      try {
        const chat = await chats.pathOf(path);
        if (!labShell) {
          await elsewhere.leave(chat, asked);
        } else {
          await late.load();
        }
        const panel = await chats.open(path, chat, ref);
        if (panel) {
          ask(panel, asked);
        }
      } catch (error) {
        await showErrorMessage(
          trans.__('The chat could not be opened'),
          error as Error
        );
      }
    };

    const add = (
      id: BridgeID,
      options: CommandRegistry.ICommandOptions,
      inPalette = true
    ): void => {
      commands.addCommand(id, {
        describedBy: { args: { type: 'object', properties: {} } },
        ...looks[id],
        ...options
      });
      if (inPalette) {
        palette?.addItem({ command: id, category: trans.__('Turnbook') });
      }
    };

    // While the chat beside it has the focus, too.
    const current = (): NotebookPanel | null =>
      notebooks.currentWidget?.isVisible ? notebooks.currentWidget : null;
    const currentFile = () =>
      editors?.currentWidget && editors.currentWidget === shell.currentWidget
        ? editors.currentWidget
        : null;
    const cells = (): Cell[] => {
      const panel = current();
      return panel ? selectedCells(panel) : [];
    };
    const askIn = async (
      attachments: (panel: NotebookPanel, at: number) => IAttachment[],
      question?: string
    ): Promise<void> => {
      const panel = current();
      const found = panel ? attachments(panel, Date.now()) : [];
      if (panel && found.length) {
        const { path } = panel.context;
        await askAbout(path, panel.id, {
          attachments: found,
          ...(question ? { question } : {})
        });
      } else if (panel) {
        Notification.info(trans.__('There is nothing here to ask about.'), {
          autoClose: 5000
        });
      }
    };

    add(BridgeIDs.askAboutCell, {
      label: args => {
        const count = cells().length;
        return count > 1 && !args.isPalette
          ? trans._n('Ask About %1 Cell', 'Ask About %1 Cells', count)
          : looks[BridgeIDs.askAboutCell].label;
      },
      isEnabled: () => cells().length > 0,
      execute: () =>
        askIn((panel, at) => cellAttachments(panel, selectedCells(panel), at))
    });
    add(BridgeIDs.askAboutOutput, {
      isEnabled: () => cells().some(hasOutputs),
      execute: () =>
        askIn((panel, at) =>
          cellOutputAttachments(panel, selectedCells(panel), at)
        )
    });
    add(BridgeIDs.explainError, {
      isEnabled: () => cells().some(showsError),
      isVisible: () => cells().some(showsError),
      execute: () =>
        askIn((panel, at) => {
          const failed = selectedCells(panel).filter(showsError);
          return [
            ...cellAttachments(panel, failed, at),
            ...errorAttachments(panel, failed, at)
          ];
        }, trans.__('Explain this error and how to fix it.'))
    });
    add(BridgeIDs.askAboutSelection, {
      isEnabled: () => {
        // A notebook may be in sight beside the file.
        const [panel, file] = [current(), currentFile()];
        return file
          ? isSelecting(file.content.editor)
          : panel !== null && hasSelection(panel);
      },
      execute: async () => {
        const file = currentFile();
        if (!file) {
          return askIn(notebookSelection);
        }
        const { path } = file.context;
        const { editor } = file.content;
        const attachments = fileSelection(path, editor, Date.now());
        if (attachments.length) {
          await askAbout(path, file.id, { attachments });
        }
      }
    });

    /** The notebook of a toolbar's button, or the current one. */
    const notebookOf = (
      args: ReadonlyPartialJSONObject
    ): NotebookPanel | null =>
      notebooks.find(({ id }) => id === args.widget) ?? current();
    add(BridgeIDs.chatAboutNotebook, {
      describedBy: {
        args: {
          type: 'object',
          properties: {
            widget: {
              type: 'string',
              description: trans.__('The id of the notebook’s tab')
            }
          }
        }
      },
      caption: args => {
        const path = notebookOf(args)?.context.path;
        return path !== undefined && chats.has(path)
          ? trans.__('Open the chat about this notebook')
          : trans.__('Start a chat about this notebook');
      },
      isEnabled: args => notebookOf(args) !== null,
      execute: async args => {
        const panel = notebookOf(args);
        if (panel) {
          await askAbout(panel.context.path, panel.id, { attachments: [] });
        }
      }
    });

    late.addCommand(BridgeIDs.askingCode, looks[BridgeIDs.askingCode]);

    toolbars?.addFactory<NotebookPanel>('Notebook', 'turnbook-chat', panel => {
      const button = new CommandToolbarButton({
        commands,
        id: BridgeIDs.chatAboutNotebook,
        args: { widget: panel.id },
        label: trans.__('Chat')
      });
      button.addClass('jp-Turnbook-chatButton');
      return button;
    });
    chats.changed.connect(() =>
      commands.notifyCommandChanged(BridgeIDs.chatAboutNotebook)
    );

    contextMenu.addItem({
      command: BridgeIDs.askAboutCell,
      selector: CELL,
      rank: RANK
    });
    contextMenu.addItem({
      command: BridgeIDs.askAboutOutput,
      selector: `${CELL} .jp-OutputArea-child`,
      rank: RANK
    });
    contextMenu.addItem({
      command: BridgeIDs.explainError,
      selector: CELL,
      rank: RANK
    });
    for (const selector of [CELL, '.jp-FileEditor']) {
      contextMenu.addItem({
        command: BridgeIDs.askAboutSelection,
        selector,
        rank: RANK
      });
    }

    const mark = (panel: NotebookPanel | null, cell: Cell | null) => {
      if (panel && cell && !cell.isDisposed) {
        const explain = () => {
          shell.activateById(panel.id);
          panel.content.activeCellIndex = panel.content.widgets.indexOf(cell);
          panel.content.deselectAll();
          void commands.execute(BridgeIDs.explainError);
        };
        markErrors(cell, explain, trans);
      }
    };
    NotebookActions.executed.connect((_, { notebook, cell }) =>
      mark(notebooks.find(one => one.content === notebook) ?? null, cell)
    );
    followErrors(notebooks, () => {
      mark(notebooks.currentWidget, notebooks.activeCell);
      commands.notifyCommandChanged(BridgeIDs.explainError);
    });
  }
};

/** Call back when the active cell may show an error, or shows none any more. */
function followErrors(notebooks: INotebookTracker, changed: () => void): void {
  let cell: Cell | null = null;
  const outputsOf = (one: Cell | null) =>
    one && !one.isDisposed && isCodeCellModel(one.model)
      ? one.model.outputs
      : null;
  const follow = () => {
    outputsOf(cell)?.changed.disconnect(changed);
    cell = notebooks.activeCell;
    outputsOf(cell)?.changed.connect(changed);
    changed();
  };
  notebooks.activeCellChanged.connect(follow);
  notebooks.selectionChanged.connect(changed);
}
