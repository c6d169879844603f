import type { YNotebook } from '@jupyter/ydoc';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';
import { nullTranslator, type ITranslator } from '@jupyterlab/translation';
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import { trans } from '../base/words';
import { errorMessage } from '../base/errors';
import { isUnseen } from '../base/unseen';
import { keepCellJSON } from '../labpatch/celljson';
import { replaceMethod } from '../labpatch/contextmethods';
import { interceptConflict, SaveConflict } from '../labpatch/saveconflict';

type Context = DocumentRegistry.IContext<INotebookModel>;

/** How often a save is attempted. */
const MOST_WRITES = 3;

/**
 * A chat's file, which other tabs may write too.
 *
 * Saves are queued, because JupyterLab would take its own save in progress for someone else's
 * change. A save that finds the file changed reads it and repeats the changes made here, if all of
 * them are repeatable; otherwise JupyterLab asks the user. This includes a file that changes
 * between the check and the save.
 *
 * A save counts only once the file has changed: reading a notebook while it is being written makes
 * Jupyter restore the older version, although the write reports success.
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
    if (context.isReady && !isUnseen(context)) {
      // Another view had it open, and may have changed it.
      this._known = -1;
      this._stored = -1;
    } else {
      void context.ready.then(() => this._isStored());
    }
    // Before JupyterLab serialises the document, whoever requested the save.
    context.saveState.connect((_, state) => {
      if (state === 'started') {
        this._saving.emit();
        this._written = this._changes;
      } else if (!this._isWriting) {
        // Saved under another name, which JupyterLab does not do through `save`.
        this._saved.emit(state === 'completed');
      }
    });
    interceptConflict(context, () => this._mayRebase && this._isRepeatable);
    replaceMethod(context, 'save', save => () => {
      const next = this._last.then(() => this._save(save));
      // The caller gets the error; the next save runs anyway.
      this._last = next.catch(() => undefined);
      return next;
    });
    // A save that ends after the file was renamed would make the old one again.
    replaceMethod(context, 'rename', rename => name => {
      const next = this._last.then(() => rename(name));
      this._last = next.catch(() => undefined);
      return next;
    });
    replaceMethod(context, 'revert', revert => async () => {
      await revert();
      this._reads++;
      this._isStored();
      this._reread.emit();
    });
    const kept = keepCellJSON(context.model.sharedModel);
    context.disposed.connect(() => {
      kept.dispose();
      Signal.clearData(this);
    });
  }

  /** Emitted before the document is written: what is visible must be in it. */
  get saving(): ISignal<this, void> {
    return this._saving;
  }

  /**
   * Emitted when a save has ended, with whether the file has what the document contained when it
   * started.
   */
  get saved(): ISignal<this, boolean> {
    return this._saved;
  }

  /** Emitted with a text for the user. */
  get trouble(): ISignal<this, string> {
    return this._trouble;
  }

  /** Emitted when the file was read again, so that changes can be repeated. */
  get reread(): ISignal<this, void> {
    return this._reread;
  }

  /** Do something before each save, which waits for it. */
  prepare(act: () => Promise<void>): IDisposable {
    this._preparations.add(act);
    return new DisposableDelegate(() => this._preparations.delete(act));
  }

  /** Read the file as others wrote it. */
  async read(): Promise<void> {
    const { context } = this._options;
    await context.revert();
    // An undo would restore earlier cells, without what others wrote.
    context.model.sharedModel.clearUndoHistory();
  }

  /** Read the file again, unless this page has unsaved changes; return whether it did. */
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
        trans.__(
          'The file changed and could not be read again: %1',
          errorMessage(error)
        )
      );
      return false;
    }
  }

  /** Make a change that can be repeated after the file was read again. */
  repeatable<T>(change: () => T): T {
    const { _isRepeatable } = this;
    const done = change();
    if (_isRepeatable) {
      this._isRead();
    }
    return done;
  }

  /** Save if autosave is on; requests during a save lead to one more save. */
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
          // Reads by others make saves fail too, but only briefly.
          console.warn('Turnbook: the chat is saved again', error);
          return context.save();
        });
      } catch (error) {
        // The user was told; the journal keeps the reply until a save succeeds.
        console.warn('Turnbook: the chat could not be saved', error);
      }
    }
    this._isSaving = false;
  }

  private async _save(save: () => Promise<void>): Promise<void> {
    const { context } = this._options;
    await Promise.all([...this._preparations].map(prepare => prepare()));
    let before = await this._rebase();
    // A document that was closed meanwhile is not written: that could restore a deleted file.
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
        // The file was written by others after the check.
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

  /** Write the file once; return false if Jupyter restored the older version. */
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
      // Otherwise the user was asked, and chose the version on disk.
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

  /** Read what others wrote, if that loses nothing; return the file's state before the write. */
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
      // A missing file is written again; the save reports other errors.
      console.warn('Turnbook: the file cannot be looked at', error);
      return null;
    }
  }

  /** Record that the document equals its file. */
  private _isStored(): void {
    this._stored = this._changes;
    this._isRead();
  }

  /** Record that the document is its file plus repeatable changes. */
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
  /** Whether a save that finds the file changed retries before JupyterLab asks. */
  private _mayRebase = false;
  /** How often the file was read again. */
  private _reads = 0;
  // JupyterLab's own flags do not suffice: a document is marked clean when a save completes, even
  // if it changed meanwhile, and changes of cell metadata do not count as content changes.
  private _changes = 0;
  /** The change count up to which the document is its file plus repeatable changes. */
  private _known = 0;
  /** The change count when the document was last serialised for a save. */
  private _written = 0;
  /** The change count when the document last equalled its file. */
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
    /** Whether autosave is on. */
    isAutosaved: () => boolean;
    translator?: ITranslator;
  }
}

/** Whether a file is unchanged between two checks: each write sets another time. */
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

/** Whether the user was asked and declined. */
function isCanceled(error: unknown): boolean {
  return error instanceof Error && error.name.startsWith('Modal');
}
