import type { YNotebook } from '@jupyter/ydoc';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';
import { Signal, type ISignal } from '@lumino/signaling';

type Context = DocumentRegistry.IContext<INotebookModel>;

/**
 * A chat's file, which other tabs may write too.
 *
 * Saves go one after another, because JupyterLab takes a save of its own that is under way for
 * somebody else's change. And a save that finds the file changed takes it and makes again what
 * was done here, if all of that can be made again; else JupyterLab asks the user.
 */
export class ChatFile {
  constructor(private _options: ChatFile.IOptions) {
    const { context } = _options;
    const { ydoc } = context.model.sharedModel as unknown as YNotebook;
    for (const root of [ydoc.getArray('cells'), ydoc.getMap('meta')]) {
      root.observeDeep(() => {
        this._changes++;
      });
    }
    if (context.isReady) {
      // Another view had it open, and may have changed it.
      this._known = -1;
    } else {
      void context.ready.then(() => this._isRead());
    }
    // However it was asked for, and before JupyterLab takes what it writes.
    context.saveState.connect((_, state) => {
      if (state === 'started') {
        this._saving.emit();
        this._written = this._changes;
      }
    });
    const save = context.save.bind(context);
    context.save = () => {
      const next = this._last.then(async () => {
        await this._rebase();
        if (context.isDisposed) {
          // It was closed while it waited; to write now could bring back a deleted file.
          return;
        }
        await save();
        if (this._written === this._changes) {
          this._isRead();
        }
      });
      // Who asked for it is told; the next one is saved all the same.
      this._last = next.catch(() => undefined);
      return next;
    };
    const revert = context.revert.bind(context);
    context.revert = async () => {
      await revert();
      this._isRead();
      this._reread.emit();
    };
    context.disposed.connect(() => Signal.clearData(this));
  }

  /** Emitted before the document is written: what can be seen has to be in it. */
  get saving(): ISignal<this, void> {
    return this._saving;
  }

  /** Emitted when the file was read again: time to make changes again. */
  get reread(): ISignal<this, void> {
    return this._reread;
  }

  /** Take the file as somebody else wrote it. */
  async read(): Promise<void> {
    const { context } = this._options;
    await context.revert();
    // An undo would bring back the cells before that, without what the others wrote.
    context.model.sharedModel.clearUndoHistory();
  }

  /** Make a change that can be made again after the file was read. */
  repeatable<T>(change: () => T): T {
    const { _isRepeatable } = this;
    const done = change();
    if (_isRepeatable) {
      this._isRead();
    }
    return done;
  }

  /** Save if the user lets JupyterLab save by itself; what is asked for meanwhile is saved afterwards. */
  autosave(): void {
    const { model } = this._options.context;
    if (!this._options.isAutosaved() || model.collaborative || model.readOnly) {
      return;
    }
    this._again = true;
    if (!this._isSaving) {
      this._isSaving = true;
      void this._run();
    }
  }

  private async _run(): Promise<void> {
    const { context } = this._options;
    while (this._again && !context.isDisposed) {
      this._again = false;
      try {
        await context.save();
      } catch (error) {
        // JupyterLab has told the user; the journal keeps the reply until a save goes well.
        console.warn('Turnbook: the chat could not be saved', error);
      }
    }
    this._isSaving = false;
  }

  private async _rebase(): Promise<void> {
    const { context } = this._options;
    if (
      !context.isDisposed &&
      !context.model.collaborative &&
      this._isRepeatable &&
      (await this._isBehind()) &&
      this._isRepeatable
    ) {
      try {
        await this.read();
      } catch (error) {
        // It cannot be read as a notebook: the save asks whether to overwrite it.
        console.warn('Turnbook: the file cannot be read again', error);
      }
    }
  }

  /** Whether somebody else has saved the file since it was read or saved here. */
  private async _isBehind(): Promise<boolean> {
    const { context, contents } = this._options;
    const { path, contentsModel } = context;
    if (!contentsModel?.hash) {
      return false;
    }
    try {
      const { hash } = await contents.get(path, { content: false, hash: true });
      return !!hash && hash !== contentsModel.hash;
    } catch (error) {
      // A file that is gone is written again; of other trouble the save tells.
      console.warn('Turnbook: the file cannot be looked at', error);
      return false;
    }
  }

  /** The document is its file and what can be made again. */
  private _isRead(): void {
    this._known = this._changes;
  }

  private get _isRepeatable(): boolean {
    return this._known === this._changes;
  }

  private readonly _reread = new Signal<this, void>(this);
  private readonly _saving = new Signal<this, void>(this);
  private _last: Promise<unknown> = Promise.resolve();
  private _again = false;
  private _isSaving = false;
  // JupyterLab's own signs do not do: a document is called clean when a save is completed, also
  // if it changed meanwhile, and a cell's metadata are no content.
  private _changes = 0;
  /** The count up to which the document is its file and what can be made again. */
  private _known = 0;
  /** The count at which the document was last taken to be written. */
  private _written = 0;
}

export namespace ChatFile {
  export interface IOptions {
    context: Context;
    contents: Contents.IManager;
    /** Whether JupyterLab saves documents by itself. */
    isAutosaved: () => boolean;
  }
}
