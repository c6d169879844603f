/** What the user wants to compare: in the file browser, in a chat, or in a results notebook. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IFileBrowserFactory } from '@jupyterlab/filebrowser';
import type { INotebookTracker } from '@jupyterlab/notebook';

import { currentChat } from '../chat/currentchat';
import type { IOpenChats } from '../chat/openchats';
import { activePair } from '../chat/pairactions';
import type { ChatPanel } from '../chat/panel';
import { forkLineage } from '../document/lock';
import { Pair } from '../document/pair';
import { chosenFiles, chosenResults, few } from './chosenfiles';
import { versionItems, type IItem } from './items';
import { allVersions } from './readversion';

/** Finds what the user has chosen. */
export class Chosen {
  constructor(private _options: Chosen.IOptions) {}

  /** The selected files of the file browser; null if they cannot be compared. */
  files(): IItem[] | null {
    return chosenFiles(this._options.browsers);
  }

  /**
   * The versions of a pair of the current chat; null if it has only one.
   *
   * @param pair - Its id; by default, the active one.
   * @param siblings - The numbers of siblings; by default, the newest versions.
   */
  versions(pair?: string, siblings?: readonly number[]): IItem[] | null {
    const chat = this._chat;
    const notebook = chat?.model?.sharedModel;
    const found = !chat
      ? null
      : pair === undefined
        ? (activePair(chat)?.pair ?? null)
        : notebook
          ? Pair.find(notebook, pair)
          : null;
    return chat && found?.versions.length
      ? few(
          versionItems(
            chat.context.path,
            found.id,
            allVersions(found),
            siblings
          )
        )
      : null;
  }

  /** The current chat and the id of the one that it was started from; null if there is none. */
  fork(): { path: string; original: string } | null {
    const chat = this._chat;
    const lineage = chat?.model && forkLineage(chat.model.sharedModel);
    return chat && lineage
      ? {
          path: chat.context.path,
          original: String(lineage.replay_parent_session_id)
        }
      : null;
  }

  /** The selected results of the current notebook; null if they are not two to four. */
  results(): IItem[] | null {
    const { app, notebooks } = this._options;
    return chosenResults(app.shell, notebooks);
  }

  private get _chat(): ChatPanel | null {
    const { app, tracker } = this._options;
    return currentChat(app.shell, tracker);
  }
}

/** The namespace for `Chosen` statics. */
export namespace Chosen {
  export interface IOptions {
    app: JupyterFrontEnd;
    tracker: IOpenChats;
    browsers: IFileBrowserFactory | null;
    notebooks: INotebookTracker | null;
  }
}
