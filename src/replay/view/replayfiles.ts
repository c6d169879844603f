import {
  InputDialog,
  Notification,
  showErrorMessage
} from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import type { INotebookContent } from '@jupyterlab/nbformat';
import type { Contents } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';

import { errorMessage } from '../../base/errors';
import { CHAT_EXTENSION } from '../../document/chatfile';
import { fileStem } from '../../document/title';
import type { TurnbookAPI } from '../../runs/api';
import { KnownFiles, type IFilePlace } from '../../session/knownfiles';
import { createNotebook } from '../../session/newchat';
import { forkName, forkNotebook } from '../model/fork';
import { recordNotebook } from '../model/projection';
import { hashTail, isSentAsReplayed, type IReplay } from '../model/record';
import { recordResponse, withResponse } from '../model/recordresponse';
import type { IReplayOrigin } from '../model/source';
import { REPLAY_EXTENSION, REPLAY_FACTORY } from '../model/names';

/** Writes chats and records of a replay next to the replayed chat. */
export class ReplayFiles {
  constructor(private _options: ReplayFiles.IOptions) {}

  /**
   * Write the chat that continues from a replay.
   *
   * @param id - The chat's id.
   * @returns Its path; null, with a message, if it cannot be written.
   */
  async fork(
    from: IFilePlace,
    id: string,
    replay: IReplay
  ): Promise<string | null> {
    const source = PathExt.basename(from.path);
    try {
      return await this._write(
        from,
        id,
        forkNotebook(replay, id),
        n => `${forkName(source, n)}${CHAT_EXTENSION}`
      );
    } catch (error) {
      const { trans } = this._options;
      const title = trans.__('The chat could not be written');
      await showErrorMessage(title, this._explain(error, from.path));
      return null;
    }
  }

  /** Write the record of a replay under a name that the user enters. */
  async exportRecord(origin: IReplayOrigin, replay: IReplay): Promise<void> {
    const { trans, documents } = this._options;
    const asked = await InputDialog.getText({
      title: trans.__('Export replay record'),
      label: trans.__(
        'The record contains the payload, its hash and where it comes from, but not what was edited out.'
      ),
      text: `${fileStem(origin.name)}-${hashTail(replay.record)}${REPLAY_EXTENSION}`,
      // What came back for other bytes is no response to these.
      checkbox: isSentAsReplayed(replay.record)
        ? {
            label: trans.__('With the response'),
            caption: trans.__('Add the exact bytes that came back'),
            checked: false
          }
        : null
    });
    if (!asked.button.accept || !asked.value) {
      return;
    }
    const made = asked.isChecked ? await this._withResponse(replay) : replay;
    if (!made) {
      return;
    }
    const stem = asked.value.replace(/(\.replay)?(\.ipynb)?$/, '');
    try {
      const path = await this._write(
        origin,
        made.record.digest,
        recordNotebook(made),
        n => `${stem}${n ? `-${n}` : ''}${REPLAY_EXTENSION}`
      );
      Notification.success(trans.__('Exported to %1', path), {
        autoClose: 6000,
        actions: [
          {
            label: trans.__('Open'),
            callback: () => void documents.openOrReveal(path, REPLAY_FACTORY)
          }
        ]
      });
    } catch (error) {
      await showErrorMessage(
        trans.__('The record could not be written'),
        this._explain(error, origin.path)
      );
    }
  }

  /** A replay with its response; null, with a message, if the journal does not have it. */
  private async _withResponse(replay: IReplay): Promise<IReplay | null> {
    const { trans, api } = this._options;
    const { requestId, hash } = replay.record;
    try {
      const [{ run }, told] = await Promise.all([
        api.getRun(requestId, Number.MAX_SAFE_INTEGER),
        api.getResponse(requestId)
      ]);
      const response =
        run.hash === hash && told.exact
          ? recordResponse(told, await api.getResponseBytes(requestId))
          : null;
      if (response) {
        return withResponse(replay, response);
      }
      throw new Error(
        trans.__('Its exact bytes are not kept; Show Response says why.')
      );
    } catch (error) {
      await showErrorMessage(
        trans.__('The response could not be added to the record'),
        trans.__(
          '%1 Nothing was written. Export the record again without the response.',
          errorMessage(error)
        )
      );
      return null;
    }
  }

  /**
   * Write a file next to the one it comes from; the user's answers about that file apply to it too.
   */
  private async _write(
    from: IFilePlace,
    id: string,
    content: INotebookContent,
    nameOf: (n: number) => string
  ): Promise<string> {
    const { contents, storage } = this._options;
    const folder = PathExt.dirname(from.path);
    const path = await createNotebook(contents, folder, content, nameOf);
    new KnownFiles(storage).copy(
      { chatId: from.chatId, path: contents.localPath(from.path) },
      { chatId: id, path: contents.localPath(path) }
    );
    return path;
  }

  private _explain(error: unknown, beside: string): string {
    const folder = PathExt.dirname(beside) || '/';
    return this._options.trans.__(
      'Nothing could be written into the folder %1: %2 The replay and the chat are as they were. Make the folder writable, or move the chat to one that is.',
      folder,
      errorMessage(error)
    );
  }
}

/**
 * The namespace for `ReplayFiles` statics.
 */
export namespace ReplayFiles {
  export interface IOptions {
    /** The journal, for responses. */
    api: Pick<TurnbookAPI, 'getRun' | 'getResponse' | 'getResponseBytes'>;
    contents: Contents.IManager;
    documents: Pick<IDocumentManager, 'openOrReveal'>;
    /** Where the browser stores what it knows about files. */
    storage: ConstructorParameters<typeof KnownFiles>[0];
    trans: TranslationBundle;
  }
}
