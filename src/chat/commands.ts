import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IMainMenu } from '@jupyterlab/mainmenu';
import { NotebookActions } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';
import {
  copyIcon,
  redoIcon,
  refreshIcon,
  stopIcon,
  undoIcon
} from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';

import { noteIcon, systemIcon } from '../icons';
import { IChatTracker, ITurnbook } from '../tokens';
import {
  activeReply,
  addNote,
  addSystem,
  copyReply,
  finishEditing
} from './actions';
import type { ChatPanel } from './panel';
import { PairCell } from './cell';

/** The commands that act on the current chat. */
export const CommandIDs = {
  send: 'turnbook:send',
  stop: 'turnbook:stop',
  retryNow: 'turnbook:retry-now',
  addSystem: 'turnbook:add-system',
  addNote: 'turnbook:add-note',
  copyReply: 'turnbook:copy-reply',
  undo: 'turnbook:undo',
  redo: 'turnbook:redo',
  focusComposer: 'turnbook:focus-composer',
  finishEditing: 'turnbook:finish-editing',
  selectAbove: 'turnbook:select-above',
  selectBelow: 'turnbook:select-below',
  manageProviders: 'turnbook:manage-providers'
} as const;

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
      panel => panel.session.send(),
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
      panel => panel.session.busy !== null
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

    // What the buttons can do depends on the chat's state, not only on the current widget.
    tracker.widgetAdded.connect((_, panel) => {
      panel.session.changed.connect(() => commands.notifyCommandChanged());
    });
  }
};
