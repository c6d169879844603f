import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IMainMenu } from '@jupyterlab/mainmenu';
import { NotebookActions } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';

import { marksOf } from '../document/marks';
import { topicFilter } from '../filter/topics';
import { CommandIDs, type CommandID } from '../ui/commandids';
import { commandLooks } from '../ui/commands';
import { refreshCommands } from '../ui/refresh';
import { currentChat } from './currentchat';
import { showExchange } from './requestdialog/exchange';
import type { IOpenChats } from './openchats';
import { IChatTracker } from './tokens';
import { ITurnbook } from '../runs/tokens';
import {
  addNote,
  addSystem,
  editableText,
  editText,
  finishEditing
} from './actions';
import { PairCell } from './cells/cell';
import { showAttempts } from './cells/attempts';
import {
  activePair,
  askTopic,
  canStep,
  chosenCells,
  deletableCells,
  deleteCells,
  editAndResend,
  jumpToBoundary,
  regenerate,
  regenerateObstacle,
  resendObstacle,
  restoreShown,
  starCells,
  stepVersions,
  toggleCells,
  type Obstacle
} from './pairactions';
import { continueObstacle, continueReply } from './continuereply';
import {
  copyAsMarkdown,
  copyMessage,
  copyReply,
  shownMessage,
  shownReply
} from './copying';
import { editActiveReply, editReplyObstacle } from './editreply';
import { exportChat } from './exporting';
import type { PairAction } from './cells/pairview';
import { moveBefore, moveChosen } from './movecells';
import { undoKeeping } from '../document/moving';
import { nameChat } from './namechat';
import type { ChatPanel } from './panel';
import { recover } from './recovery/recover';
import { compareReplies } from './siblings';
import { showTopics } from './topics/topics';

/** The commands of a chat. */
export const commandsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:chat-commands',
  description: 'The commands of a chat, in the palette, the menus and by keys.',
  autoStart: true,
  requires: [IChatTracker, ITurnbook, ITranslator],
  optional: [ICommandPalette, IMainMenu],
  activate: (
    app: JupyterFrontEnd,
    tracker: IOpenChats,
    turnbook: ITurnbook,
    translator: ITranslator,
    palette: ICommandPalette | null,
    menu: IMainMenu | null
  ): void => {
    const trans = translator.load('jupyterlab_turnbook');
    const looks = commandLooks(trans);
    const { commands, shell } = app;
    const current = (): ChatPanel | null => currentChat(shell, tracker);
    const isEnabled = (): boolean => current() !== null;

    /**
     * Register a command on the current chat, and add it to the palette.
     *
     * @param obstacle - Why it cannot be run, which is then its caption; null if it can.
     */
    const add = (
      id: CommandID,
      run: (panel: ChatPanel) => unknown,
      enabled: (panel: ChatPanel) => boolean = () => true,
      obstacle?: Obstacle
    ): void => {
      const look = looks[id];
      commands.addCommand(id, {
        execute: () => {
          const panel = current();
          return panel && run(panel);
        },
        isEnabled: () => {
          const panel = current();
          return panel !== null && enabled(panel);
        },
        describedBy: { args: { type: 'object', properties: {} } },
        ...look,
        caption: () => {
          const panel = current();
          return (panel && obstacle?.(panel, trans)) ?? look.caption ?? '';
        }
      });
      palette?.addItem({ command: id, category: trans.__('Turnbook') });
    };

    add(
      CommandIDs.send,
      panel => panel.composer.send(),
      panel => !panel.session.busy && panel.session.draft.text.trim() !== ''
    );
    add(
      CommandIDs.stop,
      panel => panel.session.stop(),
      panel => panel.session.busy !== null || panel.session.waiting !== null
    );
    add(
      CommandIDs.retryNow,
      panel => panel.session.retry(panel.content.activeCell!.model.id),
      panel => {
        const cell = panel.content.activeCell;
        const state = cell?.node.dataset.turnbookState;
        return (
          cell instanceof PairCell &&
          (state === 'error' || state === 'canceled') &&
          panel.session.busy === null
        );
      }
    );
    add(
      CommandIDs.sendWithoutImages,
      panel =>
        panel.session.actions.sendWithoutImages(
          panel.content.activeCell!.model.id
        ),
      panel => {
        const cell = panel.content.activeCell;
        const pair = cell instanceof PairCell ? cell.pair : null;
        return (
          panel.session.busy === null &&
          pair?.run?.error?.code === 'image_unsupported'
        );
      }
    );
    add(
      CommandIDs.stopAutoRetry,
      panel => panel.session.stopAutoRetry(panel.content.activeCell!.model.id),
      panel =>
        panel.session.waiting !== null &&
        panel.session.waiting.pair === panel.content.activeCell?.model.id
    );
    add(
      CommandIDs.attempts,
      panel => {
        const cell = activePair(panel)!;
        return showAttempts({
          api: turnbook.api,
          chat: panel.session.info?.chatId ?? '',
          pair: cell.model.id,
          changed: panel.session.pairChanged,
          translator
        });
      },
      panel => {
        const cell = activePair(panel);
        return cell !== null && cell.pair.run !== null;
      }
    );
    const addUnless = (
      id: CommandID,
      run: (panel: ChatPanel) => unknown,
      obstacle: Obstacle
    ): void => add(id, run, panel => obstacle(panel, trans) === null, obstacle);
    addUnless(CommandIDs.editAndResend, editAndResend, resendObstacle);
    add(CommandIDs.editText, editText, panel => editableText(panel) !== null);
    addUnless(
      CommandIDs.editReply,
      panel => editActiveReply(panel, trans),
      editReplyObstacle
    );
    addUnless(CommandIDs.regenerate, regenerate, regenerateObstacle);
    addUnless(
      CommandIDs.continueReply,
      panel => continueReply(panel, turnbook.api, trans),
      continueObstacle
    );
    add(
      CommandIDs.deletePair,
      panel => deleteCells(panel, trans),
      panel => deletableCells(panel).length > 0
    );
    const hasPair = (panel: ChatPanel) =>
      chosenCells(panel).some(cell => cell instanceof PairCell);
    add(CommandIDs.cycleStar, starCells, hasPair);
    add(CommandIDs.toggleIn, toggleCells, hasPair);
    add(CommandIDs.setTopic, panel => askTopic(panel, trans), hasPair);
    add(CommandIDs.focusFilter, panel => panel.filterBar.focus());
    add(CommandIDs.topics, panel => showTopics(panel, translator));
    add(
      CommandIDs.toggleFold,
      panel => activePair(panel)?.toggleFold(),
      panel => activePair(panel)?.canFold ?? false
    );
    add(CommandIDs.jumpToLatest, panel => panel.showLatest());
    add(CommandIDs.jumpToBoundary, panel => jumpToBoundary(panel, trans));
    for (const [id, side] of [
      [CommandIDs.showRequest, 'request'],
      [CommandIDs.showResponse, 'response']
    ] as const) {
      add(
        id,
        panel => {
          const cell = activePair(panel)!;
          const info = cell.pair.run;
          // The cell names a later attempt once its reply has landed.
          const live = panel.session.live(cell.model.id)?.run;
          const later =
            live && live.attempt > (info?.attempt ?? 0) ? live : null;
          return showExchange(side, {
            api: turnbook.api,
            runId: later?.id ?? info?.runId ?? '',
            requestHash: later?.hash ?? info?.requestHash ?? '',
            chat: panel.session.info?.chatId ?? '',
            pair: cell.model.id,
            changed: panel.session.pairChanged,
            translator
          });
        },
        panel => activePair(panel) !== null
      );
    }
    for (const [id, step] of [
      [CommandIDs.previousVersion, -1],
      [CommandIDs.nextVersion, 1]
    ] as const) {
      add(
        id,
        panel => stepVersions(panel, step),
        panel => canStep(panel, step)
      );
    }
    add(
      CommandIDs.restoreVersion,
      panel => restoreShown(panel, trans),
      panel => activePair(panel)?.shownVersion != null
    );
    commands.addCommand(CommandIDs.recoveredReplies, {
      ...looks[CommandIDs.recoveredReplies],
      // Available without an open chat too: its file may be what is gone.
      execute: () =>
        recover({
          panel: current(),
          turnbook,
          newChat: async () => {
            // While a dialog has the focus, the new chat is not the current widget.
            const made: ChatPanel | null = await commands.execute(
              CommandIDs.newChat
            );
            return made && tracker.has(made) ? made : null;
          },
          translator
        }),
      describedBy: { args: { type: 'object', properties: {} } }
    });
    palette?.addItem({
      command: CommandIDs.recoveredReplies,
      category: trans.__('Turnbook')
    });
    add(CommandIDs.addSystem, addSystem);
    add(CommandIDs.addNote, addNote);
    add(
      CommandIDs.copyMessage,
      panel => copyMessage(panel, trans),
      panel => shownMessage(panel) !== null
    );
    add(
      CommandIDs.copyReply,
      panel => copyReply(panel, trans),
      panel => shownReply(panel) !== null
    );
    add(
      CommandIDs.copyAsMarkdown,
      panel => copyAsMarkdown(panel, trans),
      hasPair
    );
    for (const [id, format] of [
      [CommandIDs.exportHTML, 'turnbook_html'],
      [CommandIDs.exportMarkdown, 'turnbook_markdown']
    ] as const) {
      const { serverSettings } = app.serviceManager;
      add(id, panel => exportChat(panel, format, serverSettings, trans));
    }
    const hasCell = (panel: ChatPanel) => chosenCells(panel).length > 0;
    for (const [id, step] of [
      [CommandIDs.moveUp, -1],
      [CommandIDs.moveDown, 1]
    ] as const) {
      add(id, panel => moveChosen(panel, step, trans), hasCell);
    }
    add(CommandIDs.nameChat, panel => nameChat(panel, trans));
    add(CommandIDs.undo, panel =>
      undoKeeping(panel.model!.sharedModel, () =>
        NotebookActions.undo(panel.content)
      )
    );
    add(CommandIDs.redo, panel =>
      undoKeeping(panel.model!.sharedModel, () =>
        NotebookActions.redo(panel.content)
      )
    );
    add(CommandIDs.focusComposer, panel => panel.enterInput());
    add(CommandIDs.attach, panel => panel.composer.attach());
    add(CommandIDs.finishEditing, finishEditing);
    add(CommandIDs.selectAbove, panel =>
      NotebookActions.selectAbove(panel.content)
    );
    add(CommandIDs.selectBelow, panel =>
      NotebookActions.selectBelow(panel.content)
    );
    add(CommandIDs.extendAbove, panel => panel.content.extendSelection(-1));
    add(CommandIDs.extendBelow, panel => panel.content.extendSelection(1));
    // Available without an open chat too.
    for (const [id, show] of [
      [CommandIDs.manageProviders, turnbook.manageProviders],
      [CommandIDs.localModels, turnbook.localModels]
    ] as const) {
      commands.addCommand(id, {
        ...looks[id],
        execute: () => {
          const session = current()?.session;
          show(
            session &&
              (model => {
                session.model = model;
              })
          );
        },
        describedBy: { args: { type: 'object', properties: {} } }
      });
      palette?.addItem({ command: id, category: trans.__('Turnbook') });
    }

    menu?.editMenu.undoers.undo.add({ id: CommandIDs.undo, isEnabled });
    menu?.editMenu.undoers.redo.add({ id: CommandIDs.redo, isEnabled });
    menu?.runMenu.codeRunners.run.add({ id: CommandIDs.send, isEnabled });

    const byAction: Record<Exclude<PairAction, 'compare'>, CommandID> = {
      retry: CommandIDs.retryNow,
      'stop-retry': CommandIDs.stopAutoRetry,
      'without-images': CommandIDs.sendWithoutImages,
      providers: CommandIDs.manageProviders,
      continue: CommandIDs.continueReply,
      edit: CommandIDs.editAndResend,
      delete: CommandIDs.deletePair,
      previous: CommandIDs.previousVersion,
      next: CommandIDs.nextVersion,
      restore: CommandIDs.restoreVersion,
      request: CommandIDs.editRequest,
      topic: CommandIDs.focusFilter,
      regenerate: CommandIDs.regenerate,
      'regenerate-with': CommandIDs.regenerateWith,
      combine: CommandIDs.combineReplies
    };
    tracker.widgetAdded.connect((_, panel) => {
      panel.content.moveRequested.connect((_, { cells, before }) =>
        moveBefore(panel, cells, before, trans)
      );
      panel.actionRequested.connect((_, { cell, action }) => {
        if (action === 'topic') {
          const { topic } = marksOf(cell.model.sharedModel);
          panel.filterBar.apply(topicFilter(topic));
        } else if (
          action === 'request' &&
          !commands.isEnabled(byAction.request)
        ) {
          // Without the Request panel the bytes can still be viewed.
          void commands.execute(CommandIDs.showRequest);
        } else if (action === 'compare') {
          void compareReplies(commands, panel, cell, trans);
        } else {
          void commands.execute(byAction[action]);
        }
      });
    });

    // The state of the buttons depends on the current widget and on the chat's state.
    shell.currentChanged?.connect(() => refreshCommands(commands));
    tracker.widgetAdded.connect((_, panel) => {
      panel.session.changed.connect(() => refreshCommands(commands));
    });
  }
};
