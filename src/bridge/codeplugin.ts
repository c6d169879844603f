import {
  ILabShell,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, type TranslationBundle } from '@jupyterlab/translation';

import { serverFileKind } from '../chat/composer/files/serverfile';
import { currentChat } from '../chat/currentchat';
import type { IOpenChats } from '../chat/openchats';
import { IChatTracker } from '../chat/tokens';
import { ITurnbook } from '../runs/tokens';
import { CommandIDs, type CommandID } from '../ui/commandids';
import { commandLooks } from '../ui/commands';
import { applyDiff, isDiff } from './applydiff';
import { ICodeActions, type ICodeAction } from './codeaction';
import { CodeTools } from './codetools';
import { NotebookTarget } from './notebooktarget';
import { repliedPairs, repliesToNotebook } from './replynotebook';
import { TextFiles } from './textfiles';

/** Takes code and whole replies from chats to notebooks and files. */
export const codeOutPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:code-out',
  description:
    'Takes code and replies to notebooks, and diffs to files, when asked to.',
  autoStart: true,
  requires: [
    IChatTracker,
    ICodeActions,
    IDocumentManager,
    ITurnbook,
    ITranslator
  ],
  optional: [INotebookTracker, ICommandPalette, ILabShell],
  activate: (
    app: JupyterFrontEnd,
    chats: IOpenChats,
    actions: ICodeActions,
    documents: IDocumentManager,
    { api }: ITurnbook,
    translator: ITranslator,
    notebooks: INotebookTracker | null,
    palette: ICommandPalette | null,
    labShell: ILabShell | null
  ): void => {
    const trans = translator.load('jupyterlab_turnbook');
    const looks = commandLooks(trans);
    const { commands, shell, serviceManager } = app;
    const target = new NotebookTarget({ app, chats, notebooks, trans });
    const { contents } = serviceManager;
    const kindOf = (path: string) => serverFileKind(path, { contents, api });
    const files = new TextFiles({ documents, contents, kindOf, trans });
    const tools = new CodeTools({ tracker: chats, actions, trans });
    const add = (
      id: CommandID,
      execute: () => unknown,
      isEnabled: () => boolean
    ): void => {
      commands.addCommand(id, {
        ...looks[id],
        describedBy: { args: { type: 'object', properties: {} } },
        execute,
        isEnabled
      });
      palette?.addItem({ command: id, category: trans.__('Turnbook') });
    };

    const current = () => currentChat(shell, chats);
    // A block may have the focus in a chat outside the main area.
    const block = () => tools.current;
    // A page of Jupyter Notebook shows one document: no notebook can be opened beside a chat.
    const canTarget = () => labShell !== null || target.panel !== null;
    for (const action of ownActions({
      target,
      canTarget,
      files,
      looks,
      trans
    })) {
      actions.add(action);
      add(
        action.id as CommandID,
        () => tools.run(action, block()!),
        () => {
          const chosen = block();
          return chosen !== null && actions.of(chosen).includes(action);
        }
      );
    }
    add(
      CommandIDs.copyCode,
      () =>
        tools.currentFrame
          ?.querySelector<HTMLElement>('.jp-Turnbook-copy')
          ?.click(),
      () => block() !== null
    );
    const { label } = looks[CommandIDs.replyToNotebook];
    add(
      CommandIDs.replyToNotebook,
      () => tools.report(label, () => repliesToNotebook(current()!, target)),
      () => {
        const chat = current();
        return chat !== null && repliedPairs(chat).length > 0;
      }
    );
  }
};

/** Turnbook's own actions on code blocks. Their ids are those of their commands. */
function ownActions(options: {
  target: NotebookTarget;
  canTarget: () => boolean;
  files: TextFiles;
  looks: ReturnType<typeof commandLooks>;
  trans: TranslationBundle;
}): ICodeAction[] {
  const { target, canTarget, files, looks, trans } = options;
  const {
    insertCode,
    replaceCell,
    codeToNotebook,
    applyDiff: diff
  } = CommandIDs;
  return [
    {
      id: insertCode,
      label: trans.__('Insert below'),
      icon: looks[insertCode].icon,
      rank: 10,
      caption: () =>
        target.panel
          ? trans.__('Insert below the active cell of %1', target.name)
          : trans.__('Open the notebook that this code is for first'),
      isVisible: canTarget,
      execute: block => target.insert(block)
    },
    {
      id: replaceCell,
      label: trans.__('Replace cell'),
      icon: looks[replaceCell].icon,
      rank: 20,
      caption: () =>
        target.panel
          ? trans.__('Replace the active cell of %1', target.name)
          : trans.__('Open the notebook that this code is for first'),
      isVisible: canTarget,
      execute: block => target.replace(block)
    },
    {
      id: codeToNotebook,
      label: trans.__('New notebook'),
      icon: looks[codeToNotebook].icon,
      rank: 30,
      caption: () => trans.__('Make a notebook of this code and open it'),
      execute: block => target.create(block)
    },
    {
      id: diff,
      label: trans.__('Apply diff…'),
      icon: looks[diff].icon,
      rank: 5,
      caption: () =>
        trans.__('Look at what this diff changes in files, then apply it'),
      isVisible: isDiff,
      execute: block => applyDiff(block, files, trans)
    }
  ];
}
