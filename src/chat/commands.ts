import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IMainMenu } from '@jupyterlab/mainmenu';
import { NotebookActions } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';
import {
  codeIcon,
  copyIcon,
  deleteIcon,
  editIcon,
  redoIcon,
  refreshIcon,
  stopIcon,
  undoIcon
} from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';

import { marksOf } from '../document/marks';
import { topicFilter } from '../filter/topics';
import {
  inOutIcon,
  noteIcon,
  starIcon,
  systemIcon,
  tagIcon
} from '../ui/icons';
import { refreshCommands } from '../ui/refresh';
import { showRequest } from './requestdialog/showrequest';
import { IChatTracker } from './tokens';
import { ITurnbook } from '../runs/tokens';
import {
  activeReply,
  addNote,
  addSystem,
  copyReply,
  finishEditing
} from './actions';
import { PairCell } from './cells/cell';
import { NEW_CHAT } from './creation';
import { showAttempts } from './cells/attempts';
import {
  activePair,
  askTopic,
  canResend,
  canStep,
  chosenCells,
  deletableCells,
  deleteCells,
  editAndResend,
  infoOf,
  jumpToBoundary,
  restoreShown,
  starCells,
  stepVersions,
  toggleCells
} from './pairactions';
import type { PairAction } from './cells/pairview';
import type { ChatPanel } from './panel';
import { recover } from './recovery/recover';
import { showTopics } from './topics/topics';

/** The commands that act on the current chat. */
export const CommandIDs = {
  send: 'turnbook:send',
  stop: 'turnbook:stop',
  editAndResend: 'turnbook:edit-and-resend',
  deletePair: 'turnbook:delete-pair',
  cycleStar: 'turnbook:cycle-star',
  toggleIn: 'turnbook:toggle-in',
  setTopic: 'turnbook:set-topic',
  topics: 'turnbook:topics',
  focusFilter: 'turnbook:focus-filter',
  jumpToBoundary: 'turnbook:jump-to-boundary',
  showRequest: 'turnbook:show-request',
  previousVersion: 'turnbook:previous-version',
  nextVersion: 'turnbook:next-version',
  restoreVersion: 'turnbook:restore-version',
  recoveredReplies: 'turnbook:recovered-replies',
  retryNow: 'turnbook:retry-now',
  stopAutoRetry: 'turnbook:stop-auto-retry',
  attempts: 'turnbook:attempts',
  addSystem: 'turnbook:add-system',
  addNote: 'turnbook:add-note',
  copyReply: 'turnbook:copy-reply',
  undo: 'turnbook:undo',
  redo: 'turnbook:redo',
  focusComposer: 'turnbook:focus-composer',
  finishEditing: 'turnbook:finish-editing',
  selectAbove: 'turnbook:select-above',
  selectBelow: 'turnbook:select-below',
  extendAbove: 'turnbook:extend-above',
  extendBelow: 'turnbook:extend-below',
  manageProviders: 'turnbook:manage-providers'
} as const;

/** Replays the active pair's request; `src/replay` adds it. */
export const REPLAY_PAIR = 'turnbook:replay-pair';

/** What the user can do in a chat. */
export const commandsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:commands',
  description: 'The commands of a chat, in the palette, the menus and by keys.',
  autoStart: true,
  requires: [IChatTracker, ITurnbook, ITranslator],
  optional: [ICommandPalette, IMainMenu],
  activate: (
    app: JupyterFrontEnd,
    tracker: IChatTracker,
    turnbook: ITurnbook,
    translator: ITranslator,
    palette: ICommandPalette | null,
    menu: IMainMenu | null
  ): void => {
    const trans = translator.load('jupyterlab_turnbook');
    const { commands, shell } = app;
    const current = (): ChatPanel | null =>
      tracker.currentWidget === shell.currentWidget
        ? tracker.currentWidget
        : null;
    const isEnabled = (): boolean => current() !== null;

    /** Register a command on the current chat, and list it in the palette. */
    const add = (
      id: string,
      run: (panel: ChatPanel) => unknown,
      options: Partial<CommandRegistry.ICommandOptions>,
      enabled: (panel: ChatPanel) => boolean = () => true
    ): void => {
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
        ...options
      });
      palette?.addItem({ command: id, category: trans.__('Turnbook') });
    };

    add(
      CommandIDs.send,
      panel => panel.composer.send(),
      {
        label: trans.__('Send Message'),
        caption: trans.__('Send the message with the cells you see')
      },
      panel => !panel.session.busy && panel.session.draft.text.trim() !== ''
    );
    add(
      CommandIDs.stop,
      panel => panel.session.stop(),
      {
        label: trans.__('Stop Reply'),
        caption: trans.__('Stop the reply; what has arrived stays'),
        icon: stopIcon
      },
      panel => panel.session.busy !== null || panel.session.waiting !== null
    );
    add(
      CommandIDs.retryNow,
      panel => panel.session.retry(panel.content.activeCell!.model.id),
      {
        label: trans.__('Retry Now'),
        caption: trans.__('Ask the model once more for this reply'),
        icon: refreshIcon
      },
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
      CommandIDs.stopAutoRetry,
      panel => panel.session.stopAutoRetry(panel.content.activeCell!.model.id),
      {
        label: trans.__('Stop Auto-Retry'),
        caption: trans.__(
          'Make no further attempt at this reply by itself; what has arrived stays'
        ),
        icon: stopIcon
      },
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
      {
        label: trans.__('Attempts…'),
        caption: trans.__(
          'Every request that was made for this pair, and what came of it'
        )
      },
      panel => {
        const cell = activePair(panel);
        return cell !== null && infoOf(cell) !== null;
      }
    );
    add(
      CommandIDs.editAndResend,
      editAndResend,
      {
        label: trans.__('Edit & Resend'),
        caption: trans.__(
          'Edit this message and send it again with the cells above it'
        ),
        icon: editIcon
      },
      canResend
    );
    add(
      CommandIDs.deletePair,
      panel => deleteCells(panel, trans),
      {
        label: trans.__('Delete'),
        caption: trans.__('Delete the selected cells; Undo brings them back'),
        icon: deleteIcon
      },
      panel => deletableCells(panel).length > 0
    );
    const hasPair = (panel: ChatPanel) =>
      chosenCells(panel).some(cell => cell instanceof PairCell);
    add(
      CommandIDs.cycleStar,
      starCells,
      {
        label: trans.__('Star'),
        caption: trans.__('Give the selected pairs one star more, up to three'),
        icon: starIcon
      },
      hasPair
    );
    add(
      CommandIDs.toggleIn,
      toggleCells,
      {
        label: trans.__('Mark In or Out'),
        caption: trans.__('Mark the selected pairs as in or out, for filters'),
        icon: inOutIcon
      },
      hasPair
    );
    add(
      CommandIDs.setTopic,
      panel => askTopic(panel, trans),
      {
        label: trans.__('Set Topic…'),
        caption: trans.__('Give the selected pairs a topic'),
        icon: tagIcon
      },
      hasPair
    );
    add(CommandIDs.focusFilter, panel => panel.filterBar.focus(), {
      label: trans.__('Filter'),
      caption: trans.__('Say which cells are visible')
    });
    add(CommandIDs.topics, panel => showTopics(panel, translator), {
      label: trans.__('Topics'),
      caption: trans.__('The topics of this chat; choose one to see it alone'),
      icon: tagIcon
    });
    add(CommandIDs.jumpToBoundary, panel => jumpToBoundary(panel, trans), {
      label: trans.__('Go to the First Included Pair'),
      caption: trans.__('Where what is sent with the next message begins')
    });
    add(
      CommandIDs.showRequest,
      panel => {
        const info = infoOf(activePair(panel)!);
        return showRequest({
          api: turnbook.api,
          runId: info?.runId ?? '',
          requestHash: info?.requestHash ?? '',
          translator
        });
      },
      {
        label: trans.__('Show Request'),
        caption: trans.__('Show the exact bytes that were sent for this pair'),
        icon: codeIcon
      },
      panel => activePair(panel) !== null
    );
    for (const [id, step, label] of [
      [CommandIDs.previousVersion, -1, trans.__('Previous Version')],
      [CommandIDs.nextVersion, 1, trans.__('Next Version')]
    ] as const) {
      add(
        id,
        panel => stepVersions(panel, step),
        { label },
        panel => canStep(panel, step)
      );
    }
    add(
      CommandIDs.restoreVersion,
      restoreShown,
      {
        label: trans.__('Restore This Version'),
        caption: trans.__('Make the version that shows the current one')
      },
      panel => activePair(panel)?.shownVersion != null
    );
    commands.addCommand(CommandIDs.recoveredReplies, {
      label: trans.__('Recovered Replies…'),
      caption: trans.__(
        'Replies of deleted pairs and of deleted chats that the journal still has'
      ),
      // Without a chat in front too: its file may be what is gone.
      execute: () =>
        recover({
          panel: current(),
          turnbook,
          newChat: async () => {
            // While a dialog has the focus, the new chat is not the current widget.
            const made: ChatPanel | null = await commands.execute(NEW_CHAT);
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
    add(CommandIDs.addSystem, addSystem, {
      label: trans.__('Add System Message'),
      caption: trans.__('Add a system message: sent where it stands'),
      icon: systemIcon
    });
    add(CommandIDs.addNote, addNote, {
      label: trans.__('Add Note'),
      caption: trans.__('Add a note: never sent'),
      icon: noteIcon
    });
    add(
      CommandIDs.copyReply,
      copyReply,
      {
        label: trans.__('Copy Reply'),
        caption: trans.__('Copy the reply as the model wrote it'),
        icon: copyIcon
      },
      panel => activeReply(panel) !== null
    );
    add(CommandIDs.undo, panel => NotebookActions.undo(panel.content), {
      label: trans.__('Undo'),
      caption: trans.__('Undo the last change to the cells; replies stay'),
      icon: undoIcon
    });
    add(CommandIDs.redo, panel => NotebookActions.redo(panel.content), {
      label: trans.__('Redo'),
      caption: trans.__('Redo the change to the cells'),
      icon: redoIcon
    });
    add(CommandIDs.focusComposer, panel => panel.enterInput(), {
      label: trans.__('Write a Message')
    });
    add(CommandIDs.finishEditing, finishEditing, {
      label: trans.__('Finish Editing the Cell')
    });
    add(
      CommandIDs.selectAbove,
      panel => NotebookActions.selectAbove(panel.content),
      { label: trans.__('Select Cell Above') }
    );
    add(
      CommandIDs.selectBelow,
      panel => NotebookActions.selectBelow(panel.content),
      { label: trans.__('Select Cell Below') }
    );
    add(CommandIDs.extendAbove, panel => panel.content.extendSelection(-1), {
      label: trans.__('Extend Selection Above')
    });
    add(CommandIDs.extendBelow, panel => panel.content.extendSelection(1), {
      label: trans.__('Extend Selection Below')
    });
    commands.addCommand(CommandIDs.manageProviders, {
      label: trans.__('Add or Edit Providers…'),
      caption: trans.__('Where models come from, and their keys'),
      execute: () => turnbook.manageProviders(),
      describedBy: { args: { type: 'object', properties: {} } }
    });
    palette?.addItem({
      command: CommandIDs.manageProviders,
      category: trans.__('Turnbook')
    });

    menu?.editMenu.undoers.undo.add({ id: CommandIDs.undo, isEnabled });
    menu?.editMenu.undoers.redo.add({ id: CommandIDs.redo, isEnabled });
    menu?.runMenu.codeRunners.run.add({ id: CommandIDs.send, isEnabled });

    const byAction: Record<PairAction, string> = {
      retry: CommandIDs.retryNow,
      'stop-retry': CommandIDs.stopAutoRetry,
      providers: CommandIDs.manageProviders,
      edit: CommandIDs.editAndResend,
      delete: CommandIDs.deletePair,
      previous: CommandIDs.previousVersion,
      next: CommandIDs.nextVersion,
      restore: CommandIDs.restoreVersion,
      request: 'turnbook:edit-request',
      topic: CommandIDs.focusFilter
    };
    tracker.widgetAdded.connect((_, panel) => {
      panel.actionRequested.connect((_, { cell, action }) => {
        if (action === 'topic') {
          const { topic } = marksOf(cell.model.sharedModel);
          panel.filterBar.apply(topicFilter(topic));
        } else if (
          action === 'request' &&
          !commands.isEnabled(byAction.request)
        ) {
          // Without the Request panel the bytes can still be seen.
          void commands.execute(CommandIDs.showRequest);
        } else {
          void commands.execute(byAction[action]);
        }
      });
    });

    // What the buttons can do depends on the widget in front and on the chat's state.
    shell.currentChanged?.connect(() => refreshCommands(commands));
    tracker.widgetAdded.connect((_, panel) => {
      panel.session.changed.connect(() => refreshCommands(commands));
    });
  }
};
