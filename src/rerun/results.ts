/** Shows results notebooks, and new results in those that are open. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import { NotebookPanel, type INotebookTracker } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';

import { errorMessage } from '../base/errors';
import { isObject } from '../base/json';
import { rereadUnlessChanged } from '../labpatch/reread';

/** Opens results, and keeps open ones up to date. */
export class Results {
  constructor(private _options: Results.IOptions) {}

  /** Show results in a tab. */
  open(path: string): void {
    this._options.documents.openOrReveal(path);
  }

  /**
   * Read results again wherever they are open. What the user changed there is kept; then they are told
   * what to do.
   */
  async reload(path: string): Promise<void> {
    for (const [context, widget] of this._open(path)) {
      // With others, the server brings what changed on the disk.
      if (!context.isReady || context.model.collaborative) {
        continue;
      }
      if (context.model.dirty) {
        this._tellChanged(path);
        continue;
      }
      try {
        if (await this._reread(context, widget)) {
          this._told.delete(path);
        } else if (!context.isDisposed && context.model.dirty) {
          this._tellChanged(path);
        }
      } catch (error) {
        // The next results are written soon, or the user reads it again.
        console.warn(`Turnbook: ${path}: ${errorMessage(error)}`);
      }
    }
  }

  private _open(path: string): [DocumentRegistry.Context, Widget][] {
    const { app, documents } = this._options;
    const { contents } = app.serviceManager;
    const found = new Map<DocumentRegistry.Context, Widget>();
    for (const widget of app.shell.widgets('main')) {
      const context = documents.contextForWidget(widget);
      if (context && contents.localPath(context.path) === path) {
        found.set(context as DocumentRegistry.Context, widget);
      }
    }
    return [...found];
  }

  /** Read a document again, unless it is changed meanwhile; what the user looks at stays in sight. */
  private async _reread(
    context: DocumentRegistry.Context,
    widget: Widget
  ): Promise<boolean> {
    const { contents } = this._options.app.serviceManager;
    const notebook = widget instanceof NotebookPanel ? widget.content : null;
    const top = notebook?.outerNode.scrollTop ?? 0;
    const active = notebook?.activeCellIndex ?? 0;
    if (!(await rereadUnlessChanged(context, contents))) {
      return false;
    }
    if (notebook && !notebook.isDisposed) {
      notebook.activeCellIndex = active;
      requestAnimationFrame(() => {
        notebook.outerNode.scrollTop = top;
      });
    }
    return true;
  }

  private _tellChanged(path: string): void {
    if (!this._told.has(path)) {
      this._told.add(path);
      const { trans } = this._options;
      Notification.warning(
        trans.__(
          '%1 has new results on the disk, but you have changed it here. Choose File → Reload Notebook from Disk to see them.',
          path
        ),
        { autoClose: false }
      );
    }
  }

  private _told = new Set<string>();
}

/** The namespace for `Results` statics. */
export namespace Results {
  export interface IOptions {
    app: JupyterFrontEnd;
    documents: IDocumentManager;
    trans: TranslationBundle;
  }
}

/** Let JupyterLab not ask for a kernel for results: there is nothing in them to run. */
export function withoutKernels(notebooks: INotebookTracker): void {
  notebooks.widgetAdded.connect((_, { context }) => {
    // The file has been read, and the kernel is not chosen yet.
    void context.ready.then(() => {
      const entry: unknown = context.model.getMetadata('turnbook');
      if (isObject(entry) && 'results' in entry) {
        const { sessionContext } = context;
        sessionContext.kernelPreference = {
          ...sessionContext.kernelPreference,
          shouldStart: false
        };
      }
    });
  });
}
