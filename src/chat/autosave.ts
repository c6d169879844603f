import type { IDocumentManager } from '@jupyterlab/docmanager';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';

type Context = DocumentRegistry.IContext<INotebookModel>;

/**
 * Let the saves of a document go one after another.
 *
 * JupyterLab takes a save of its own that is under way for somebody else's change, and asks
 * whether to overwrite it.
 */
export function queueSaves(context: Pick<Context, 'save'>): void {
  const save = context.save.bind(context);
  let last: Promise<unknown> = Promise.resolve();
  context.save = () => {
    const next = last.then(save);
    // Who asked for it is told; the next one is saved all the same.
    last = next.catch(() => undefined);
    return next;
  };
}

/**
 * Saves a chat at once, if the user lets JupyterLab save by itself.
 */
export class Autosave {
  /**
   * @param _rebase - Brings what somebody else saved into the document, if that loses nothing.
   */
  constructor(
    private _documents: IDocumentManager,
    private _context: Context,
    private _rebase: () => Promise<void>
  ) {}

  /** Save; what is asked for meanwhile is saved afterwards. */
  request(): void {
    const { model } = this._context;
    if (!this._documents.autosave || model.collaborative || model.readOnly) {
      return;
    }
    this._again = true;
    if (!this._isSaving) {
      this._isSaving = true;
      void this._run();
    }
  }

  private async _run(): Promise<void> {
    while (this._again && !this._context.isDisposed) {
      this._again = false;
      try {
        if (await this._isBehind()) {
          await this._rebase();
        }
        // Not every change of a cell's metadata makes JupyterLab call the document changed.
        await this._context.save();
      } catch (error) {
        // JupyterLab has told the user; the journal keeps the reply until a save goes well.
        console.warn('Turnbook: the chat could not be saved', error);
      }
    }
    this._isSaving = false;
  }

  /** Whether somebody else has saved the file since it was read or saved here. */
  private async _isBehind(): Promise<boolean> {
    const { path, contentsModel } = this._context;
    if (!contentsModel?.hash) {
      return false;
    }
    const { contents } = this._documents.services;
    try {
      const { hash } = await contents.get(path, { content: false, hash: true });
      return !!hash && hash !== contentsModel.hash;
    } catch (error) {
      // A file that is gone is written again; of other trouble the save tells.
      console.warn('Turnbook: the file cannot be looked at', error);
      return false;
    }
  }

  private _again = false;
  private _isSaving = false;
}
