import { YNotebook } from '@jupyter/ydoc';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookContent } from '@jupyterlab/nbformat';
import type { INotebookModel } from '@jupyterlab/notebook';
import {
  ServerConnection,
  type Contents,
  type ContentsManager
} from '@jupyterlab/services';
import { PromiseDelegate, type JSONObject } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';

/** A shared notebook, with what the session reads of JupyterLab's model of it. */
class Notebook {
  constructor() {
    this.sharedModel.changed.connect((_, change) => {
      for (const one of change.stateChange ?? []) {
        if (one.oldValue !== one.newValue) {
          this.stateChanged.emit(one);
        }
      }
    });
    const { ydoc } = this.sharedModel;
    for (const root of [ydoc.getArray('cells'), ydoc.getMap('meta')]) {
      root.observeDeep(() => this.contentChanged.emit());
    }
  }

  readonly sharedModel = YNotebook.create({
    disableDocumentWideUndoRedo: true
  }) as YNotebook;
  readonly contentChanged = new Signal<this, void>(this);
  readonly stateChanged = new Signal<this, unknown>(this);
  readonly collaborative = false;
  readonly readOnly = false;

  get dirty(): boolean {
    return this.sharedModel.dirty;
  }
  set dirty(value: boolean) {
    this.sharedModel.dirty = value;
  }
}

/**
 * An open document, without widgets: reads, saves and finds conflicts through the server's contents as
 * JupyterLab's own context does. Where that would ask the user, nobody answers.
 */
export class Context {
  constructor(
    readonly path: string,
    private readonly _contents: ContentsManager
  ) {}

  readonly model = new Notebook();
  readonly disposed = new Signal<this, void>(this);
  readonly pathChanged = new Signal<this, string>(this);
  readonly saveState = new Signal<this, DocumentRegistry.SaveState>(this);
  contentsModel: Contents.IModel | null = null;
  isDisposed = false;
  isReady = false;

  get localPath(): string {
    return this.path;
  }

  get ready(): Promise<void> {
    return this._ready.promise;
  }

  /** It as the session takes it. */
  get asContext(): DocumentRegistry.IContext<INotebookModel> {
    return this as unknown as DocumentRegistry.IContext<INotebookModel>;
  }

  /** Read the file for the first time. */
  async initialize(): Promise<void> {
    while (!(await this._isRead())) {
      await new Promise(resolve => setTimeout(resolve, 20));
    }
    this.model.sharedModel.clearUndoHistory();
    this.isReady = true;
    this._ready.resolve();
  }

  /** Nothing is renamed here; a chat's file takes the method over. */
  async rename(): Promise<void> {
    throw new Error('Files are not renamed here.');
  }

  async revert(): Promise<void> {
    await this.ready;
    await this._read();
  }

  async save(): Promise<void> {
    await this.ready;
    this.saveState.emit('started');
    const content = this.model.sharedModel.toJSON();
    try {
      const saved = await this._write(content);
      if (!this.isDisposed) {
        this.model.dirty = false;
        this.contentsModel = saved;
        this.saveState.emit('completed');
      }
    } catch (error) {
      if (!(error instanceof Conflict)) {
        this.saveState.emit('failed');
      }
      throw error;
    }
  }

  dispose(): void {
    this.isDisposed = true;
    this.disposed.emit();
    this.model.sharedModel.dispose();
    Signal.clearData(this);
    Signal.clearData(this.model);
  }

  /** Jupyter writes files in place: who opens one meanwhile is told so, and opens it again. */
  private async _isRead(): Promise<boolean> {
    try {
      await this._read();
      return true;
    } catch (error) {
      if (statusOf(error) !== 400) {
        throw error;
      }
      return this.isDisposed;
    }
  }

  private async _read(): Promise<void> {
    const found = await this._contents.get(this.path, {
      type: 'notebook',
      format: 'json',
      content: true,
      hash: true,
      contentProviderId: this._contentProviderId
    });
    if (this.isDisposed) {
      return;
    }
    const content = found.content as INotebookContent;
    const cells = content.cells.length
      ? content.cells
      : [{ cell_type: 'code', source: '', metadata: { trusted: true } }];
    this.model.sharedModel.setSource({ ...content, cells } as JSONObject);
    this.model.dirty = false;
    this.contentsModel = { ...found, content: null };
  }

  private async _write(content: INotebookContent): Promise<Contents.IModel> {
    const found = await this._look();
    if (this.isDisposed) {
      throw new Error('Disposed');
    }
    const known = this.contentsModel?.hash;
    if (found?.hash && known && found.hash !== known) {
      throw new Conflict(`${this.path} has changed on disk`);
    }
    const saved = await this._contents.save(this.path, {
      type: 'notebook',
      format: 'json',
      content,
      contentProviderId: this._contentProviderId
    });
    return { ...saved, hash: (await this._look())?.hash };
  }

  private async _look(): Promise<Contents.IModel | null> {
    try {
      return await this._contents.get(this.path, {
        content: false,
        hash: true,
        contentProviderId: this._contentProviderId
      });
    } catch (error) {
      if (statusOf(error) === 404) {
        return null;
      }
      throw error;
    }
  }

  /** Where JupyterLab has it, too. */
  private _contentProviderId: string | undefined = undefined;
  private readonly _ready = new PromiseDelegate<void>();
}

function statusOf(error: unknown): number | null {
  return error instanceof ServerConnection.ResponseError
    ? error.response.status
    : null;
}

/** The file is another one than was read: JupyterLab asks, and the user does not say. */
class Conflict extends Error {
  override readonly name = 'ModalCancelError';
}
