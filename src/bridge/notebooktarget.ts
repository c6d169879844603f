import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import type { INotebookContent } from '@jupyterlab/nbformat';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { UUID, type PartialJSONObject } from '@lumino/coreutils';

import type { IOpenChats } from '../chat/openchats';
import { errorMessage } from '../base/errors';
import { originMetadata } from '../document/origin';
import { chatName } from '../request/name';
import { createNotebook } from '../session/newchat';
import type { ICodeBlock } from './codeaction';
import { kernelMetadata, languageName } from './kernels';
import {
  insertBelow,
  replaceActive,
  replaceObstacle,
  type IDone,
  type INewCell
} from './notebookedit';
import { markdownCell } from './replycells';

/** How long a notification about a change stays. */
const DONE_MS = 6000;

/** The notebook that code goes to: the one used last. Chats are not among them. */
export class NotebookTarget {
  constructor(private _options: NotebookTarget.IOptions) {}

  /** The notebook used last; null if none is open. */
  get panel(): NotebookPanel | null {
    const panel = this._options.notebooks?.currentWidget ?? null;
    return panel && !panel.isDisposed && panel.content.model ? panel : null;
  }

  /** Its file's name. */
  get name(): string {
    return this.panel ? PathExt.basename(this.panel.context.path) : '';
  }

  /** Insert a block below its active cell. */
  insert(block: ICodeBlock): void {
    const { trans } = this._options;
    const panel = this._writable(block);
    if (panel) {
      const done = insertBelow(panel, cellOf(block));
      this._say(
        panel,
        done,
        trans.__('Inserted as cell %1 of %2', done.index + 1, this.name)
      );
    }
  }

  /** Replace its active cell by a block. */
  replace(block: ICodeBlock): void {
    const { trans } = this._options;
    const panel = this._writable(block);
    if (!panel) {
      return;
    }
    const cell = cellOf(block);
    const obstacle = replaceObstacle(panel, cell, trans);
    if (obstacle) {
      throw new Error(obstacle);
    }
    const done = replaceActive(panel, cell);
    this._say(
      panel,
      done,
      trans.__('Replaced cell %1 of %2', done.index + 1, this.name)
    );
  }

  /** Make a notebook of a block. */
  async create(block: ICodeBlock): Promise<void> {
    await this.createOf([cellOf(block)], block.language, block.chat.path);
  }

  /**
   * Make a notebook of cells beside a chat, and open it.
   *
   * @returns The path of the new file.
   */
  async createOf(
    cells: INewCell[],
    language: string,
    chat: string
  ): Promise<string> {
    const { app, chats } = this._options;
    const { contents, kernelspecs } = app.serviceManager;
    await kernelspecs.ready;
    const metadata = kernelMetadata(kernelspecs.specs, language);
    const content = plainNotebook(cells, metadata);
    const name = chatName(contents.localPath(chat));
    const path = await createNotebook(
      contents,
      PathExt.dirname(chat),
      content,
      n => `${name}-code${n || ''}.ipynb`
    );
    const beside = this.panel;
    const ref = beside?.id ?? chats.currentWidget?.id;
    await app.commands.execute('docmanager:open', {
      path,
      factory: 'Notebook',
      options: { mode: beside ? 'tab-after' : 'split-right', ref }
    });
    return path;
  }

  /** The languages that the server has kernels for. */
  get languages(): string[] {
    const { specs } = this._options.app.serviceManager.kernelspecs;
    return Object.values(specs?.kernelspecs ?? {}).flatMap(
      spec => spec?.language ?? []
    );
  }

  /** The notebook used last; without one, offer to make one. */
  private _writable(block: ICodeBlock): NotebookPanel | null {
    const { trans } = this._options;
    const { panel } = this;
    if (panel?.context.isReady === false) {
      throw new Error(
        trans.__('%1 is still being read. Try again in a moment.', this.name)
      );
    }
    if (panel?.content.model?.readOnly) {
      throw new Error(trans.__('%1 is read-only.', this.name));
    }
    if (!panel) {
      Notification.info(
        trans.__(
          'No notebook is open. Open the one that the code is for and try again, or make a new one.'
        ),
        {
          autoClose: false,
          actions: [
            {
              label: trans.__('New notebook'),
              callback: () => void this._createOrSay(block)
            }
          ]
        }
      );
    }
    return panel;
  }

  private async _createOrSay(block: ICodeBlock): Promise<void> {
    try {
      await this.create(block);
    } catch (error) {
      Notification.error(errorMessage(error), { autoClose: false });
    }
  }

  /** Say what was done, with a way to it and back. */
  private _say(panel: NotebookPanel, done: IDone, words: string): void {
    const { app, trans } = this._options;
    Notification.success(words, {
      autoClose: DONE_MS,
      actions: [
        {
          label: trans.__('Show'),
          callback: () => {
            if (!panel.isDisposed) {
              app.shell.activateById(panel.id);
            }
          }
        },
        {
          label: trans.__('Undo'),
          callback: () => {
            if (panel.isDisposed || !done.undo()) {
              Notification.warning(
                trans.__(
                  'The notebook was changed since: use its own Undo instead.'
                )
              );
            }
          }
        }
      ]
    });
  }
}

/**
 * The namespace for `NotebookTarget` statics.
 */
export namespace NotebookTarget {
  export interface IOptions {
    app: JupyterFrontEnd;
    chats: IOpenChats;
    notebooks: INotebookTracker | null;
    trans: TranslationBundle;
  }
}

/** A notebook of these cells, without outputs. */
function plainNotebook(
  cells: readonly INewCell[],
  metadata: PartialJSONObject
): INotebookContent {
  return {
    cells: cells.map(cell => ({
      ...cell,
      id: UUID.uuid4(),
      ...(cell.cell_type === 'code'
        ? { outputs: [], execution_count: null }
        : {})
    })),
    metadata,
    nbformat: 4,
    nbformat_minor: 5
  } as unknown as INotebookContent;
}

/** A block as a cell that remembers where it comes from. */
function cellOf(block: ICodeBlock): INewCell {
  const { text, language, pair, run, chat } = block;
  const isProse = ['markdown', 'md'].includes(languageName(language));
  return {
    cell_type: isProse ? 'markdown' : 'code',
    // JupyterLab renders Markdown at once.
    source: isProse ? markdownCell(text) : text,
    metadata: originMetadata(text, { chatId: chat.chatId, pair, run })
  };
}
