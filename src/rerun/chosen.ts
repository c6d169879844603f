/** What the user wants to rerun: in the file browser, an open record or replay, or pairs of a chat. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IFileBrowserFactory } from '@jupyterlab/filebrowser';

import type { RerunSource } from '../base/run';
import { currentChat } from '../chat/currentchat';
import type { IOpenChats } from '../chat/openchats';
import type { ChatPanel } from '../chat/panel';
import { recordNotebook } from '../replay/model/projection';
import type { IReplayPanels } from '../replay/start';

const RECORD = /\.replay(-Copy\d*)?\.ipynb$/i;

/** Finds what the user has chosen. */
export class Chosen {
  constructor(private _options: Chosen.IOptions) {}

  /** The selected records and folders of the file browser; null if there is anything else. */
  files(): RerunSource | null {
    const { browsers } = this._options;
    const items = [...(browsers?.tracker.currentWidget?.selectedItems() ?? [])];
    return items.length > 0 &&
      items.every(({ path, type }) => type === 'directory' || RECORD.test(path))
      ? { paths: items.map(({ path }) => this._local(path)) }
      : null;
  }

  /** The record or the replay in the current tab; null if there is none. */
  replay(): RerunSource | null {
    const { app, replays } = this._options;
    const panel = replays.find(one => one === app.shell.currentWidget);
    const replay = panel?.view.built?.replay;
    if (!panel || !replay) {
      return null;
    }
    if (panel.key === null) {
      return { paths: [this._local(panel.context.path)] };
    }
    const { from } = panel.view;
    return (
      from && {
        beside: this._local(from.path),
        records: [recordNotebook(replay) as unknown as Record<string, never>]
      }
    );
  }

  /** The selected pairs of the current chat that were sent; null if there are none. */
  pairs(): { chat: ChatPanel; source: RerunSource } | null {
    const { app, tracker } = this._options;
    const chat = currentChat(app.shell, tracker);
    const pairs = chat
      ? chat.content.selectedCells
          .map(({ model }) => model.id)
          .filter(id => chat.content.pair(id)?.pair.run)
      : [];
    return chat && pairs.length
      ? { chat, source: { chat: this._local(chat.context.path), pairs } }
      : null;
  }

  private _local(path: string): string {
    return this._options.app.serviceManager.contents.localPath(path);
  }
}

/** The namespace for `Chosen` statics. */
export namespace Chosen {
  export interface IOptions {
    app: JupyterFrontEnd;
    tracker: IOpenChats;
    replays: IReplayPanels;
    browsers: IFileBrowserFactory | null;
  }
}
