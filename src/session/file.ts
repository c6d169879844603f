import type { YNotebook } from '@jupyter/ydoc';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';
import { nullTranslator, type ITranslator } from '@jupyterlab/translation';
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import { errorWords } from '../base/errors';
import { interceptConflict, SaveConflict } from '../labpatch/saveconflict';

type Context = DocumentRegistry.IContext<INotebookModel>;

/** How often a save is made that somebody else's reading undoes. */
const MOST_WRITES = 3;

/**
 * A chat's file, which other tabs may write too.
 *
 * Saves go one after another, because JupyterLab takes a save of its own that is under way for
 * somebody else's change. And a save that finds the file changed takes it and makes again what
 * was done here, if all of that can be made again; else JupyterLab asks the user. That holds also
 * for a file that changes between the look at it and the save.
 *
 * A save counts once the file has changed: who reads a notebook while it is being written makes
 * Jupyter put the older one back in its place, and the write is answered as if it had gone well.
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
      this._stored = -1;
    } else {
      void context.ready.then(() => this._isStored());
    }
    // However it was asked for, and before JupyterLab takes what it writes.
    context.saveState.connect((_, state) => {
      if (state === 'started') {
        this._saving.emit();
        this._written = this._changes;
      } else if (!this._isWriting) {
        // Saved under another name: JupyterLab does not do that by way of `save`.
        this._saved.emit(state === 'completed');
      }
    });
    interceptConflict(context, () => this._mayRebase && this._isRepeatable);
    const save = context.save.bind(context);
    context.save = () => {
      const next = this._last.then(() => this._save(save));
      // Who asked for it is told; the next one is saved all the same.
      this._last = next.catch(() => undefined);
      return next;
    };
    const revert = context.revert.bind(context);
    context.revert = async () => {
      await revert();
      this._reads++;
      this._isStored();
      this._reread.emit();
    };
    context.disposed.connect(() => Signal.clearData(this));
  }

  /** Emitted before the document is written: what can be seen has to be in it. */
  get saving(): ISignal<this, void> {
    return this._saving;
  }

  /** Emitted when a save has ended, with whether the file has what the document said when it began. */
  get saved(): ISignal<this, boolean> {
    return this._saved;
  }

  /** Emitted with words for the user. */
  get trouble(): ISignal<this, string> {
    return this._trouble;
  }

  /** Emitted when the file was read again: time to make changes again. */
  get reread(): ISignal<this, void> {
    return this._reread;
  }

  /** Have something done before each save, which waits for it. */
  prepare(act: () => Promise<void>): IDisposable {
    this._preparations.add(act);
    return new DisposableDelegate(() => this._preparations.delete(act));
  }

  /** Take the file as somebody else wrote it. */
  async read(): Promise<void> {
    const { context } = this._options;
    await context.revert();
    // An undo would bring back the cells before that, without what the others wrote.
    context.model.sharedModel.clearUndoHistory();
  }

  /** Take the file as it is now, unless this page has changes of its own; answers whether it did. */
  async refresh(): Promise<boolean> {
    const { model } = this._options.context;
    if (model.collaborative || model.dirty) {
      return false;
    }
    try {
      await this.read();
      return true;
    } catch (error) {
      this._trouble.emit(
        `The file changed and could not be read again: ${errorWords(error)}`
      );
      return false;
    }
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
        await context.save().catch(error => {
          if (isCanceled(error)) {
            throw error;
          }
          // Reading by others makes saves fail too, and only for a moment.
          console.warn('Turnbook: the chat is saved again', error);
          return context.save();
        });
      } catch (error) {
        // The user was told; the journal keeps the reply until a save goes well.
        console.warn('Turnbook: the chat could not be saved', error);
      }
    }
    this._isSaving = false;
  }

  private async _save(save: () => Promise<void>): Promise<void> {
    const { context } = this._options;
    await Promise.all([...this._preparations].map(prepare => prepare()));
    let before = await this._rebase();
    // One that was closed while it waited is not written: that could bring back a deleted file.
    for (let writes = 1; !context.isDisposed; writes++) {
      this._mayRebase = writes < MOST_WRITES;
      try {
        if (await this._write(save, before)) {
          return;
        }
      } catch (error) {
        if (!(error instanceof SaveConflict)) {
          throw error;
        }
        // Somebody wrote the file after it was looked at.
        before = await this._rebase();
        continue;
      }
      context.model.dirty = true;
      if (writes === MOST_WRITES) {
        const words = this._trans.__(
          'The chat is not saved: something else reads the file whenever it is written. Save it again in a moment.'
        );
        this._trouble.emit(words);
        throw new Error(words);
      }
    }
  }

  /** Write the file once; answers false if the one before was put back in its place. */
  private async _write(
    save: () => Promise<void>,
    before: Contents.IModel | null
  ): Promise<boolean> {
    const { context } = this._options;
    const reads = this._reads;
    let isSaved = false;
    this._isWriting = true;
    try {
      await save();
      // Else the user was asked, and took the file as it is.
      const isWritten = reads === this._reads;
      const isNew = isWritten && this._written !== this._stored;
      isSaved = !isNew || !isSame(before, context.contentsModel);
      if (isSaved && isWritten) {
        this._stored = this._written;
      }
      if (isSaved && this._written === this._changes) {
        this._isRead();
      }
      return isSaved;
    } finally {
      this._isWriting = false;
      this._saved.emit(isSaved);
    }
  }

  /** Take what others wrote, if nothing is lost by that; answers what the file is before it is written. */
  private async _rebase(): Promise<Contents.IModel | null> {
    const { context } = this._options;
    if (context.isDisposed || context.model.collaborative) {
      return null;
    }
    const found = await this._look();
    const known = context.contentsModel?.hash;
    const isBehind = !!known && !!found?.hash && found.hash !== known;
    if (isBehind && !context.isDisposed && this._isRepeatable) {
      try {
        await this.read();
      } catch (error) {
        // It cannot be read as a notebook: the save asks whether to overwrite it.
        console.warn('Turnbook: the file cannot be read again', error);
      }
    }
    return found;
  }

  private async _look(): Promise<Contents.IModel | null> {
    const { context, contents } = this._options;
    try {
      return await contents.get(context.path, { content: false, hash: true });
    } catch (error) {
      // A file that is gone is written again; of other trouble the save tells.
      console.warn('Turnbook: the file cannot be looked at', error);
      return null;
    }
  }

  /** The document is its file. */
  private _isStored(): void {
    this._stored = this._changes;
    this._isRead();
  }

  /** The document is its file and what can be made again. */
  private _isRead(): void {
    this._known = this._changes;
  }

  private get _isRepeatable(): boolean {
    return this._known === this._changes;
  }

  private readonly _preparations = new Set<() => Promise<void>>();
  private readonly _reread = new Signal<this, void>(this);
  private readonly _saved = new Signal<this, boolean>(this);
  private readonly _saving = new Signal<this, void>(this);
  private readonly _trouble = new Signal<this, string>(this);
  private _last: Promise<unknown> = Promise.resolve();
  private _again = false;
  private _isSaving = false;
  private _isWriting = false;
  /** Whether a save that finds the file changed makes another try before JupyterLab asks. */
  private _mayRebase = false;
  /** How often the file was read again. */
  private _reads = 0;
  // JupyterLab's own signs do not do: a document is called clean when a save is completed, also
  // if it changed meanwhile, and a cell's metadata are no content.
  private _changes = 0;
  /** The count up to which the document is its file and what can be made again. */
  private _known = 0;
  /** The count at which the document was last taken to be written. */
  private _written = 0;
  /** The count at which the document last was what is in its file. */
  private _stored = 0;

  private get _trans() {
    return (this._options.translator ?? nullTranslator).load(
      'jupyterlab_turnbook'
    );
  }
}

export namespace ChatFile {
  export interface IOptions {
    context: Context;
    contents: Contents.IManager;
    /** Whether JupyterLab saves documents by itself. */
    isAutosaved: () => boolean;
    translator?: ITranslator;
  }
}

/** Whether a file was not written between two looks at it: each write gives it another time. */
function isSame(
  before: Contents.IModel | null,
  after: Omit<Contents.IModel, 'content'> | null
): boolean {
  return (
    !!before?.last_modified &&
    before.last_modified === after?.last_modified &&
    (before.hash ?? null) === (after.hash ?? null)
  );
}

/** Whether the user was asked and said no. */
function isCanceled(error: unknown): boolean {
  return error instanceof Error && error.name.startsWith('Modal');
}
