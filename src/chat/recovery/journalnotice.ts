import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { ITranslator, type TranslationBundle } from '@jupyterlab/translation';

import type { IJournal } from '../../base/run';
import { ApiError, type TurnbookAPI } from '../../runs/api';
import { ALL_CHATS } from '../../runs/polling';
import type { IOpenChats } from '../openchats';
import { IChatTracker } from '../tokens';
import { ITurnbook } from '../../runs/tokens';

const DISMISSED = 'turnbook:journal-set-aside';

/** Warns when the journal was damaged or cannot be used. */
export const journalNoticePlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:journal-notice',
  description: 'Shows a notice when the journal was damaged or cannot be used.',
  autoStart: true,
  requires: [ITurnbook, IChatTracker, ITranslator],
  activate: (
    _: JupyterFrontEnd,
    turnbook: ITurnbook,
    tracker: IOpenChats,
    translator: ITranslator
  ): void => {
    const notice = new JournalNotice(
      turnbook.api,
      translator.load('jupyterlab_turnbook')
    );
    let watching = false;
    tracker.widgetAdded.connect(() => {
      void notice.check();
      if (watching) {
        return;
      }
      watching = true;
      turnbook.socket.watch(ALL_CHATS, {
        // Called after every connection, so also after a restart of the server.
        onRuns: () => void notice.check(),
        onChanged: run => {
          if (run.end?.code === 'journal') {
            void notice.check();
          }
        }
      });
    });
  }
};

/** Checks the journal and shows each problem once. */
export class JournalNotice {
  constructor(
    private _api: Pick<TurnbookAPI, 'getJournal'>,
    private _trans: TranslationBundle
  ) {}

  /** Ask the server, and show what the user has not seen yet. */
  async check(): Promise<void> {
    let journal: IJournal;
    try {
      journal = await this._api.getJournal();
    } catch (error) {
      if (error instanceof ApiError && error.code === 'journal') {
        if (error.message !== this._failure) {
          this._failure = error.message;
          Notification.error(error.message, { autoClose: false });
        }
      } else {
        // Without a connection nothing is known about the journal.
        console.warn('Turnbook: the journal could not be checked', error);
      }
      return;
    }
    this._failure = '';
    const last = journal.setAside.at(-1)?.file ?? '';
    if (last !== this._shown && localStorage.getItem(DISMISSED) !== last) {
      this._shown = last;
      this._showSetAside(last, journal.damaged.length);
    }
  }

  private _showSetAside(file: string, damaged: number): void {
    const trans = this._trans;
    const parts = [
      trans.__(
        'Turnbook’s journal was damaged. Everything that could be read was copied to a new journal.'
      ),
      damaged
        ? trans._n(
            '%1 reply could not be read in full.',
            '%1 replies could not be read in full.',
            damaged
          )
        : '',
      trans.__('The damaged file was kept: %1', file)
    ];
    Notification.warning(parts.filter(part => part).join(' '), {
      autoClose: false,
      actions: [
        {
          label: trans.__('Don’t Show Again'),
          callback: () => localStorage.setItem(DISMISSED, file)
        }
      ]
    });
  }

  private _failure = '';
  private _shown = '';
}
